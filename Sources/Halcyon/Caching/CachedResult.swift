/// The result of a load in a form that caches keep: an image, or its encoded bytes.
protocol CachedResult: Sendable {
    /// The result as memory keeps it.
    var content: CachedImage.Content { get }
    /// The number of bytes of the encoded original.
    var originalByteCount: Int { get }
    /// The duration of each stage.
    var timings: ImageTimings { get set }
    /// The substitution, if the image came from another source than the requested one.
    var substitution: SourceSubstitution? { get set }

    /// Creates a result from memory; `nil` if memory has the other form.
    init?(_ cached: CachedImage)
}

extension ImageResponse: CachedResult {
    var content: CachedImage.Content { .image(image) }
    var originalByteCount: Int { byteCount }

    @inline(__always)
    init?(_ cached: CachedImage) {
        guard case .image(let image) = cached.content else { return nil }
        self.init(image: image, source: .memory, byteCount: cached.byteCount)
    }
}
