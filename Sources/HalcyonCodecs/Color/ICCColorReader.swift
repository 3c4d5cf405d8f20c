internal import CLCMS
internal import FoundationEssentials
internal import HalcyonRaster

/// Finds out how the colours of an ICC profile become sRGB, with lcms2 reading the profile.
enum ICCColorReader {
    /// The conversion for a profile of grey or RGB colours, or of four inks; `nil` for what is damaged, too long, out of
    /// proportion, of another colour model or of a kind that does not describe images.
    static func conversion(for data: Data) -> ColorConversion? {
        guard let context = ProfileContext() else { return nil }
        return withProfile(data, in: context) { profile in
            switch cmsGetColorSpace(profile) {
            case cmsSigGrayData:
                gray(profile) ?? ColorTable(profile, isGray: true, in: context).map(ColorConversion.grayTable)
            case cmsSigRgbData: matrix(profile) ?? ColorTable(profile, in: context).map(ColorConversion.table)
            case cmsSigCmykData: ColorSpaceConversion(profile, .eight, in: context).map(ColorConversion.inks)
            default: nil
            }
        }
    }

    /// Lends a profile that describes images and is safe to work with.
    static func withProfile<Result>(
        _ data: Data,
        in context: ProfileContext,
        _ body: (cmsHPROFILE) -> Result?
    ) -> Result? {
        guard 128...ICCProfile.maximumByteCount ~= data.count, ICCTagWalker.isBounded(data) else { return nil }
        let opened = data.withUnsafeBytes { bytes in
            // lcms2 copies the bytes.
            cmsOpenProfileFromMemTHR(context.handle, bytes.baseAddress, cmsUInt32Number(bytes.count))
        }
        guard let profile = opened else { return nil }
        defer { cmsCloseProfile(profile) }
        let classes = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        let deviceClass = cmsGetDeviceClass(profile)
        guard classes.contains(where: { $0 == deviceClass }) else { return nil }
        return body(profile)
    }

    /// Curves and the places of red, green and blue in XYZ with the white D50 (ICC.1:2022 8.3.3). Tables take
    /// precedence where a profile has both. `nil` also where samples of 0 have a colour.
    private static func matrix(_ profile: cmsHPROFILE) -> ColorConversion? {
        guard cmsIsMatrixShaper(profile) != 0, cmsGetPCS(profile) == cmsSigXYZData,
            !hasTable(profile),
            let red = colorant(profile, cmsSigRedColorantTag), let green = colorant(profile, cmsSigGreenColorantTag),
            let blue = colorant(profile, cmsSigBlueColorantTag),
            let redCurve = cmsReadTag(profile, cmsSigRedTRCTag),
            let greenCurve = cmsReadTag(profile, cmsSigGreenTRCTag),
            let blueCurve = cmsReadTag(profile, cmsSigBlueTRCTag)
        else { return nil }
        let curves = [redCurve, greenCurve, blueCurve].map(OpaquePointer.init)
        func light(_ channel: Int, _ sample: Double) -> Double {
            Double(cmsEvalToneCurveFloat(curves[channel], Float(sample)))
        }
        let blacks = (0..<3).compactMap { channel in black { light(channel, $0) } }
        // Of others, black is moved towards the connection space's own.
        guard blacks.count == 3, blacks.allSatisfy({ abs($0 - blacks[0]) < 0.000_1 }) else { return nil }
        let matrix = ColorPrimaries.matrixFromConnectionSpace * ColorMatrix(red, green, blue)
        return ColorShaper(
            curve: { channel, sample in (light(channel, sample) - blacks[0]) / (1 - blacks[0]) },
            matrix: matrix
        ).map(ColorConversion.shaper)
    }

    /// One curve (ICC.1:2022 8.3.4), to Y, or to L* where the connection space is Lab.
    private static func gray(_ profile: cmsHPROFILE) -> ColorConversion? {
        guard !hasTable(profile), let tag = cmsReadTag(profile, cmsSigGrayTRCTag) else { return nil }
        let curve = OpaquePointer(tag)
        let isLab = cmsGetPCS(profile) == cmsSigLabData
        func light(_ sample: Double) -> Double {
            let value = Double(cmsEvalToneCurveFloat(curve, Float(sample)))
            return isLab ? luminance(ofLightness: value) : value
        }
        guard let black = black(light) else { return nil }
        return ColorShaper(curve: { _, sample in (light(sample) - black) / (1 - black) }, matrix: .identity)
            .map(ColorConversion.gray)
    }

    /// Returns whether a profile has a table that takes precedence over its curves.
    static func hasTable(_ profile: cmsHPROFILE) -> Bool {
        cmsIsTag(profile, cmsSigAToB0Tag) != 0 || cmsIsTag(profile, cmsSigDToB0Tag) != 0
    }

    /// Returns the light of a curve at a sample of 0, which becomes black (black point compensation, as for perceptual
    /// intents of ICC.1:2022), or 0 for a curve that falls, whose darkest sample is another; `nil` for what is no dark.
    private static func black(_ light: (Double) -> Double) -> Double? {
        let (first, last) = (light(0), light(1))
        if first > last || abs(first) < 0.000_1 { return 0 }
        // L* of 50, beyond which lcms2 takes no black point.
        return 0..<0.184 ~= first ? first : nil
    }

    private static func colorant(_ profile: cmsHPROFILE, _ tag: cmsTagSignature) -> SIMD3<Double>? {
        guard let value = cmsReadTag(profile, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee else { return nil }
        return SIMD3(value.X, value.Y, value.Z)
    }

    /// Y of L* / 100, both from 0 to 1 (CIE 15, 8.2.1.1).
    private static func luminance(ofLightness lightness: Double) -> Double {
        let root = (lightness * 100 + 16) / 116
        return root > 6.0 / 29 ? root * root * root : lightness * 100 / 903.296_3
    }
}
