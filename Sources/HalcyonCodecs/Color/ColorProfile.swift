public import FoundationEssentials

/// The colours of samples that are not sRGB.
public enum ColorProfile: Sendable, Hashable {
    /// An ICC profile (ICC.1), as embedded in a file.
    case icc(Data)
    /// Coding-independent code points (ITU-T H.273): the numbers of the colour primaries and of the transfer
    /// characteristics. The matrix is undone by the decoder, which hands out RGB.
    case codePoints(primaries: Int, transfer: Int)
}

extension ColorProfile {
    /// The profile embedded in a file, for decoded pixels of red, green and blue or, where the file has no colours, of
    /// grey; `nil` for one of another colour model (ICC.1:2022 7.2.6), which says nothing about them, for one that is
    /// too large, and for sRGB, which needs none.
    package init?(embedded profile: Data?, isGray: Bool = false) {
        guard let profile, ICCProfile.isProfile(profile, for: isGray ? .gray : .rgb), !ICCProfile.isSRGB(profile) else {
            return nil
        }
        self = .icc(profile)
    }
}

/// The handling of a file's colours that are not sRGB.
public enum ColorHandling: Sendable, Hashable {
    /// They become sRGB.
    case sRGB
    /// They stay as they are, and ``DecodedImage/colorProfile`` says what they mean. Four inks become red, green and blue by
    /// the plain formula, whatever their profile says.
    case asStored
}
