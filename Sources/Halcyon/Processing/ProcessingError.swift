public import HalcyonRaster

/// The failure of a built-in processor.
public enum ProcessingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The requested size has no pixel.
    case emptySize(PixelSize)
    /// A part of an image was requested in which the image has no pixel.
    case emptyArea(CropArea, of: PixelSize)

    /// A description of the error.
    public var description: String {
        switch self {
        case .emptySize(let size): "an image cannot be made \(size) pixels large"
        case .emptyArea(let area, let size): "an image of \(size) pixels has none in the area \(area)"
        }
    }
}
