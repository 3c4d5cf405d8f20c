internal import CLCMS
package import FoundationEssentials
package import HalcyonRaster

/// Turns colours of another space than RGB into sRGB: cyan, magenta, yellow and black by the profile of the inks, and
/// CIELab.
///
/// Unchecked: lcms2 only reads a transform while it converts, since it was made without the cache of the last pixel.
/// Nothing is written after `init`.
package final class ColorSpaceConversion: @unchecked Sendable {
    private let context: ProfileContext
    private let transform: cmsHTRANSFORM
    private let depth: SampleDepth

    /// The conversion of inks of a depth, that of 8 bits from the cache: making one takes some milliseconds. `nil`
    /// for a profile that cannot be used.
    package static func cached(for profile: Data, depth: SampleDepth = .eight) -> ColorSpaceConversion? {
        guard depth == .eight else {
            guard let context = ProfileContext() else { return nil }
            return ICCColorReader.withProfile(profile, in: context) { ColorSpaceConversion($0, depth, in: context) }
        }
        guard case .inks(let conversion)? = ColorConversion.cached(for: .icc(profile)) else { return nil }
        return conversion
    }

    /// A conversion of inks by an open profile, whose context it keeps alive; `nil` where lcms2 refuses it, or where it
    /// is none for four inks.
    convenience init?(_ profile: cmsHPROFILE, _ depth: SampleDepth, in context: ProfileContext) {
        guard cmsGetColorSpace(profile) == cmsSigCmykData else { return nil }
        self.init(profile, samples: Int(PT_CMYK) << 16 | 4 << 3, depth, in: context)
    }

    /// The conversion of CIELab relative to the white D50, whose samples stand for lightness from 0 to 100, and for a and
    /// b from −128 to 127 (ICC.1:2022, section 6.3.4.2), and a fourth that does not count.
    package convenience init?(labOfDepth depth: SampleDepth) {
        guard let context = ProfileContext(), let lab = cmsCreateLab4ProfileTHR(context.handle, nil) else { return nil }
        defer { cmsCloseProfile(lab) }
        self.init(lab, samples: Int(PT_Lab) << 16 | 1 << 7 | 3 << 3, depth, in: context)
    }

    /// - Parameter samples: The colour model, the extra channels and the channels, as in lcms2's macros.
    private init?(_ profile: cmsHPROFILE, samples: Int, _ depth: SampleDepth, in context: ProfileContext) {
        guard let sRGB = cmsCreate_sRGBProfileTHR(context.handle) else { return nil }
        defer { cmsCloseProfile(sRGB) }
        // TYPE_CMYK_8, TYPE_RGBA_8 and the like are macros; the last bits are the bytes of a sample.
        let byteCount = depth.rawValue / 8
        guard
            let transform = cmsCreateTransformTHR(
                context.handle,
                profile,
                cmsUInt32Number(samples | byteCount),
                sRGB,
                cmsUInt32Number(Int(PT_RGB) << 16 | 1 << 7 | 3 << 3 | byteCount),
                cmsUInt32Number(INTENT_PERCEPTUAL),
                cmsUInt32Number(cmsFLAGS_NOCACHE)
            )
        else {
            return nil
        }
        self.context = context
        self.depth = depth
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts pixels of four samples, of the depth of the conversion, into red, green, blue and the greatest alpha, in
    /// place.
    package func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
        cmsDoTransform(transform, pixels, pixels, cmsUInt32Number(count))
        // lcms2 leaves what is not a colour alone: here still the fourth sample.
        switch depth {
        case .eight:
            let samples = pixels.assumingMemoryBound(to: UInt8.self)
            for index in 0..<count { samples[index &* 4 &+ 3] = .max }
        case .sixteen:
            let samples = pixels.assumingMemoryBound(to: UInt16.self)
            for index in 0..<count { samples[index &* 4 &+ 3] = .max }
        }
    }
}
