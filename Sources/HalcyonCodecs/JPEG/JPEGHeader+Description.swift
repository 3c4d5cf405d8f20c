internal import FoundationEssentials
internal import HalcyonRaster

extension JPEGHeader {
    var info: ImageInfo {
        ImageInfo(
            format: .jpeg,
            size: size,
            orientation: orientation,
            bitDepth: precision,
            colorSpace: colorSpace
        )
    }

    var colorSpace: ColorSpace {
        if let profile, let colorSpace = ICCProfile.colorSpace(of: profile) {
            return colorSpace
        }
        return switch components.count {
        case 1: .gray
        case 4: .cmyk
        default: .sRGB
        }
    }

    /// The colour profile of the decoded samples, or `nil` for sRGB. One for four inks says nothing of the RGB that a
    /// decoder makes of them.
    var colorProfile: ColorProfile? {
        components.count < 4 ? ColorProfile(embedded: profile, isGray: components.count == 1) : nil
    }

    /// The profile of four inks, if there is one.
    var inkProfile: Data? {
        guard components.count == 4, let profile, ICCProfile.isProfile(profile, for: .inks) else {
            return nil
        }
        return profile
    }
}
