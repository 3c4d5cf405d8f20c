public import HalcyonCodecs

extension ImageProcessorChain {
    /// Runs a closure; see ``ClosureProcessor``.
    ///
    /// - Parameters:
    ///   - name: The name of the processor in caches: equal names are taken for equal work.
    ///   - process: Returns the processed image. It runs on a worker thread; it should call its second argument now and
    ///     then and throw `CancellationError` if that returns `true`.
    public static func closure(
        name: String,
        _ process: @escaping @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage
    ) -> ImageProcessorChain {
        ImageProcessorChain(ClosureProcessor(name: name, process))
    }
}
