internal import CLCMS
internal import HalcyonRaster

/// A colour space that is described by a table, in which lcms2 interpolates, or by curves that do not begin at black.
///
/// Unchecked: lcms2 only reads a transform while it converts, since it was made without the cache of the last pixel
/// ("cmsFLAGS_NOCACHE", lcms2's documentation of threads). Nothing is written after `init`.
final class ColorTable: @unchecked Sendable {
    private let context: ProfileContext
    private let transform: cmsHTRANSFORM
    private let wideTransform: cmsHTRANSFORM

    /// A table from an open profile of RGB or grey, whose context it keeps alive; `nil` where lcms2 refuses it.
    init?(_ profile: cmsHPROFILE, isGray: Bool = false, in context: ProfileContext) {
        guard let sRGB = cmsCreate_sRGBProfileTHR(context.handle) else { return nil }
        defer { cmsCloseProfile(sRGB) }
        // For curves alone, lcms2 makes a table of few points, which is off by ten levels where it is dark.
        let flags = cmsFLAGS_NOCACHE | (ICCColorReader.hasTable(profile) ? 0 : cmsFLAGS_NOOPTIMIZE)
        func transform(_ depth: SampleDepth) -> cmsHTRANSFORM? {
            return [cmsUInt32Number(INTENT_PERCEPTUAL), cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC)].lazy
                .compactMap { intent in
                    cmsCreateTransformTHR(
                        context.handle,
                        profile,
                        isGray ? Self.format(PT_GRAY, colorCount: 1, depth) : Self.format(PT_RGB, colorCount: 3, depth),
                        sRGB,
                        Self.format(PT_RGB, colorCount: 3, depth),
                        intent,
                        cmsUInt32Number(flags)
                    )
                }
                .first
        }
        guard let narrow = transform(.eight) else { return nil }
        guard let wide = transform(.sixteen) else {
            cmsDeleteTransform(narrow)
            return nil
        }
        self.context = context
        self.transform = narrow
        wideTransform = wide
    }

    deinit {
        cmsDeleteTransform(transform)
        cmsDeleteTransform(wideTransform)
    }

    /// Converts straight pixels in place; alpha, an "extra" channel to lcms2, is left alone.
    func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int, depth: SampleDepth) {
        cmsDoTransform(
            depth == .eight ? transform : wideTransform,
            pixels,
            pixels,
            cmsUInt32Number(truncatingIfNeeded: count)
        )
    }

    /// lcms2's TYPE_RGBA_8 and TYPE_RGBA_16, macros that Swift does not see; with one colour, the first of four samples.
    private static func format(_ model: Int32, colorCount: Int, _ depth: SampleDepth) -> cmsUInt32Number {
        cmsUInt32Number(Int(model) << 16 | (4 - colorCount) << 7 | colorCount << 3 | depth.rawValue / 8)
    }
}

/// The state that lcms2 keeps beside profiles and transforms, so that nothing is shared with other users of lcms2 in
/// the same process, such as their error handlers.
///
/// Unchecked: the handle is only passed on.
final class ProfileContext: @unchecked Sendable {
    let handle: cmsContext

    init?() {
        guard let handle = cmsCreateContext(nil, nil) else { return nil }
        self.handle = handle
    }

    deinit {
        cmsDeleteContext(handle)
    }
}
