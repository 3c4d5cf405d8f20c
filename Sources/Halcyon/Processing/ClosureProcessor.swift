internal import HalcyonCodecs

/// A processor that runs a closure, and whose identity is its name.
struct ClosureProcessor: ImageProcessing {
    let name: String
    let closure: @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage

    static func == (left: ClosureProcessor, right: ClosureProcessor) -> Bool {
        // By code units: text that only looks the same is another name in caches.
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(name)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try closure(image, isCancelled)
    }
}
