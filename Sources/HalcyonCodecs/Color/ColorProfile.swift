public import FoundationEssentials

/// The colours of samples that are not sRGB.
public enum ColorProfile: Sendable, Hashable {
    /// An ICC profile (ICC.1), as embedded in a file.
    case icc(Data)
    /// Coding-independent code points (ITU-T H.273): the numbers of the colour primaries and of the transfer
    /// characteristics. The matrix is undone by the decoder, which hands out RGB.
    case codePoints(primaries: Int, transfer: Int)
}

/// The handling of a file's colours that are not sRGB.
public enum ColorHandling: Sendable, Hashable {
    /// They become sRGB.
    case sRGB
    /// They stay as they are, and ``DecodedImage/colorProfile`` says what they mean.
    case asStored
}
