public import HalcyonRaster

/// The part of an image's resolution that a processor needs.
public enum DecodeTarget: Sendable, Hashable {
    /// The whole resolution.
    case full
    /// Enough to fit, fill or stretch the image to a size without enlarging the decoded pixels; without `enlarges`, no
    /// more than the image has. Default of `enlarges`: `true`.
    case resized(PixelSize, ResizeMode, enlarges: Bool = true)

    /// Returns the size to request from a decoder, for an image of this display size; `nil` for the image's own.
    func targetSize(for displaySize: PixelSize) -> PixelSize? {
        switch self {
        case .full: nil
        case .resized(let size, let mode, let enlarges): mode.resultSize(of: displaySize, in: size, enlarges: enlarges)
        }
    }
}
