internal import CLCMS
internal import FoundationEssentials
internal import HalcyonRaster

/// Makes ICC profiles for files that say what their colours are with numbers of their own.
enum ICCProfileWriter {
    /// A profile of version 4; the same for the same numbers.
    ///
    /// - Parameters:
    ///   - exponent: From samples to light; `nil` for the curve of sRGB.
    ///   - primaries: Where red, green, blue and white lie; of a profile for grey, only white counts.
    ///   - isGray: Whether it is a profile for grey.
    /// - Returns: `nil` where the numbers are no colour space.
    static func profile(exponent: Double?, primaries: ColorPrimaries, isGray: Bool) -> Data? {
        // lcms2 divides by these.
        let places = [primaries.white, primaries.red, primaries.green, primaries.blue]
        guard places.allSatisfy({ (0...1).contains($0.x) && (0.000_01...1).contains($0.y) }),
            primaries.matrixToSRGB != nil, let context = ProfileContext(),
            let curve = curve(exponent, in: context)
        else {
            return nil
        }
        defer { cmsFreeToneCurve(curve) }
        return profile(curve, primaries, isGray: isGray, in: context)
    }

    private static func profile(
        _ curve: OpaquePointer,
        _ primaries: ColorPrimaries,
        isGray: Bool,
        in context: ProfileContext
    ) -> Data? {
        var white = chromaticity(primaries.white)
        var triple = cmsCIExyYTRIPLE(
            Red: chromaticity(primaries.red),
            Green: chromaticity(primaries.green),
            Blue: chromaticity(primaries.blue)
        )
        var curves: [OpaquePointer?] = [curve, curve, curve]
        let made =
            isGray
            ? cmsCreateGrayProfileTHR(context.handle, &white, curve)
            : cmsCreateRGBProfileTHR(context.handle, &white, &triple, &curves)
        guard let profile = made else {
            return nil
        }
        defer { cmsCloseProfile(profile) }
        return bytes(of: profile)
    }

    /// A profile of red, green and blue in which shades of grey are what they are in a profile for grey; `nil` where
    /// that cannot be used, or has Lab as its connection space.
    static func profile(widening gray: Data) -> Data? {
        guard let context = ProfileContext() else { return nil }
        return ICCColorReader.withProfile(gray, in: context) { opened in
            guard cmsGetPCS(opened) == cmsSigXYZData, let curve = cmsReadTag(opened, cmsSigGrayTRCTag) else {
                return nil
            }
            return profile(OpaquePointer(curve), .sRGB, isGray: false, in: context)
        }
    }

    /// A profile for the colours of code points (ITU-T H.273); `nil` where it would need another curve than that of sRGB
    /// or of a gamma.
    static func profile(primaries: Int, transfer: Int) -> Data? {
        guard let primaries = ColorPrimaries(code: primaries) else { return nil }
        let exponents = [4: 2.2, 5: 2.8, 8: 1]
        // Those that ``TransferFunction`` shows as sRGB.
        guard exponents[transfer] != nil || [1, 2, 6, 11, 12, 13, 14, 15].contains(transfer) else { return nil }
        return profile(exponent: exponents[transfer], primaries: primaries, isGray: false)
    }

    private static func curve(_ exponent: Double?, in context: ProfileContext) -> OpaquePointer? {
        if let exponent {
            return cmsBuildGamma(context.handle, exponent)
        }
        // Type 4 of lcms2, parametricCurveType 3 of ICC.1, with the numbers of sRGB.
        return cmsBuildParametricToneCurve(context.handle, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.040_45])
    }

    private static func chromaticity(_ place: SIMD2<Double>) -> cmsCIExyY {
        cmsCIExyY(x: place.x, y: place.y, Y: 1)
    }

    private static func bytes(of profile: cmsHPROFILE) -> Data? {
        var count: cmsUInt32Number = 0
        guard cmsSaveProfileToMem(profile, nil, &count) != 0, count >= 128 else {
            return nil
        }
        var data = Data(count: Int(count))
        let isSaved = data.withUnsafeMutableBytes { cmsSaveProfileToMem(profile, $0.baseAddress, &count) != 0 }
        // The date of creation (ICC.1:2022 7.2.8), else the same colours would be another profile every second.
        data.replaceSubrange(24..<36, with: [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        return isSaved ? data : nil
    }
}
