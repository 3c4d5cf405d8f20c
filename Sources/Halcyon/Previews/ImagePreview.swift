public import HalcyonCodecs

/// An image of lower quality to show until the requested one is loaded.
public struct ImagePreview: Sendable {
    /// The preview and its provenance.
    public let response: ImageResponse
    /// The source that the preview came from, one of ``ImageOptions/previews``.
    public let source: Source
    /// The place of the source in ``ImageOptions/previews``, from 0. Of two previews the one with the higher number is
    /// the better.
    public let quality: Int

    /// The preview.
    public var image: DecodedImage { response.image }
}
