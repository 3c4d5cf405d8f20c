internal import CLCMS
package import FoundationEssentials
package import HalcyonRaster

/// Turns cyan, magenta, yellow and black into sRGB by the profile of the inks.
///
/// Unchecked: lcms2 only reads a transform while it converts, since it was made without the cache of the last pixel.
/// Nothing is written after `init`.
package final class InkConversion: @unchecked Sendable {
    private let context: ProfileContext
    private let transform: cmsHTRANSFORM
    private let depth: SampleDepth

    /// The conversion of samples of a depth, that of 8 bits from the cache: making one takes some milliseconds. `nil`
    /// for a profile that cannot be used.
    package static func cached(for profile: Data, depth: SampleDepth = .eight) -> InkConversion? {
        guard depth == .eight else {
            guard let context = ProfileContext() else { return nil }
            return ICCColorReader.withProfile(profile, in: context) { InkConversion($0, depth, in: context) }
        }
        guard case .inks(let conversion)? = ColorConversion.cached(for: .icc(profile)) else { return nil }
        return conversion
    }

    /// A conversion by an open profile, whose context it keeps alive; `nil` where lcms2 refuses it, or where it is none
    /// for four inks.
    init?(_ profile: cmsHPROFILE, _ depth: SampleDepth, in context: ProfileContext) {
        guard cmsGetColorSpace(profile) == cmsSigCmykData, let sRGB = cmsCreate_sRGBProfileTHR(context.handle) else {
            return nil
        }
        defer { cmsCloseProfile(sRGB) }
        // TYPE_CMYK_8 and TYPE_RGBA_8, and those of 16, which are macros: colour model, extra channels, channels, bytes
        // a sample.
        let byteCount = depth.rawValue / 8
        guard
            let transform = cmsCreateTransformTHR(
                context.handle,
                profile,
                cmsUInt32Number(Int(PT_CMYK) << 16 | 4 << 3 | byteCount),
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

    /// Converts pixels of four shares of ink, of the depth of the conversion, into red, green, blue and the greatest
    /// alpha, in place.
    package func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
        cmsDoTransform(transform, pixels, pixels, cmsUInt32Number(count))
        // lcms2 leaves what is not a colour alone: here still the black.
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
