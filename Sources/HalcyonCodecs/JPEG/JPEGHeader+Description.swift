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

    /// The colour profile of the decoded samples, or `nil` for sRGB: the profile, if it is one for this file's colour
    /// model (ICC.1:2022 7.2.6). Those of CMYK say nothing of the RGB that a decoder makes of it.
    var colorProfile: ColorProfile? {
        guard let profile, components.count < 4, isProfile(profile, for: components.count == 1 ? "GRAY" : "RGB "),
            ICCProfile.colorSpace(of: profile) != .sRGB
        else {
            return nil
        }
        return .icc(profile)
    }

    /// The profile of four inks, if there is one.
    var inkProfile: Data? {
        guard let profile, components.count == 4, isProfile(profile, for: "CMYK") else {
            return nil
        }
        return profile
    }

    private func isProfile(_ profile: Data, for colorModel: StaticString) -> Bool {
        ByteReader(profile).hasText(colorModel, at: 16) && ICCProfile.colorSpace(of: profile) != nil
    }
}
