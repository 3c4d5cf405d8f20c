public import HalcyonRaster

/// A size of the thumbnails that the programs of a user share (Thumbnail Managing Standard 0.9.0, section 4.1).
public enum ThumbnailSize: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// At most 128 pixels a side.
    case normal = 128
    /// At most 256 pixels a side.
    case large = 256
    /// At most 512 pixels a side.
    case xLarge = 512
    /// At most 1,024 pixels a side.
    case xxLarge = 1_024

    /// The greatest width and height, in pixels.
    public var pixelSize: PixelSize { PixelSize(rawValue, rawValue) }

    /// The name of the folder with thumbnails of this size.
    var folderName: String {
        switch self {
        case .normal: "normal"
        case .large: "large"
        case .xLarge: "x-large"
        case .xxLarge: "xx-large"
        }
    }

    /// Orders sizes from small to large.
    public static func < (left: ThumbnailSize, right: ThumbnailSize) -> Bool { left.rawValue < right.rawValue }
}
