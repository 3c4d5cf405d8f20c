public import HalcyonCodecs

/// A processor that runs a closure.
///
/// Its identity is its name: two of these processors with equal names are taken for the same, in memory and on disk, also
/// by a later run of the program. Include in the name every value that the closure uses, and change it whenever the
/// closure begins to give other pixels.
public struct ClosureProcessor: ImageProcessing {
    /// The name of the processor in caches.
    public let name: String
    private let closure: @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage

    /// A processor with a closure.
    ///
    /// - Parameters:
    ///   - name: The name of the processor in caches, such as `"com.example.vignette(0.5)"`.
    ///   - closure: Returns the processed image, as ``ImageProcessing/process(_:isCancelled:)`` does.
    public init(
        name: String,
        _ closure: @escaping @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage
    ) {
        self.name = name
        self.closure = closure
    }

    /// Returns whether both have the same name.
    public static func == (left: ClosureProcessor, right: ClosureProcessor) -> Bool {
        // By code units: text that only looks the same is another name in caches.
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    /// Writes the name.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(name)
    }

    /// Returns the result of the closure.
    ///
    /// - Throws: The error of the closure.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try closure(image, isCancelled)
    }
}
