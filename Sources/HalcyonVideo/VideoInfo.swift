public import HalcyonCodecs
public import HalcyonRaster

/// The description of a video in its header.
public struct VideoInfo: Sendable, Hashable, Codable {
    /// The container.
    public var format: ImageFormat
    /// The name of the codec, such as "h264", "hevc", "vp9" or "av1"; `nil` for a file without moving images.
    public var codec: String?
    /// The size of a frame as a person sees it, in pixels: in the shape of square pixels, and turned as the file says.
    /// That of the cover for a file without moving images.
    public var displaySize: PixelSize
    /// The duration in seconds; `nil` where the file does not say.
    public var duration: Double?
    /// The number of frames a second, on average; `nil` where the file does not say.
    public var frameRate: Double?
    /// A Boolean value that indicates whether the file embeds an image that stands for it.
    public var hasCover: Bool

    /// A description.
    public init(
        format: ImageFormat,
        codec: String?,
        displaySize: PixelSize,
        duration: Double? = nil,
        frameRate: Double? = nil,
        hasCover: Bool = false
    ) {
        self.format = format
        self.codec = codec
        self.displaySize = displaySize
        self.duration = duration
        self.frameRate = frameRate
        self.hasCover = hasCover
    }
}
