public import HalcyonRaster

/// The failure of a built-in processor.
public enum ProcessingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The requested size has no pixel.
    case emptySize(PixelSize)

    /// A description of the error.
    public var description: String {
        switch self {
        case .emptySize(let size): "an image cannot be made \(size) pixels large"
        }
    }
}
