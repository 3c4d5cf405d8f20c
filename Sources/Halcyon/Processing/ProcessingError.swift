public import HalcyonRaster

/// Why a built-in processor could not do its work.
public enum ProcessingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The size asked for has no pixel.
    case emptySize(PixelSize)

    /// What went wrong, in words.
    public var description: String {
        switch self {
        case .emptySize(let size): "an image cannot be made \(size) pixels large"
        }
    }
}
