internal import CLCMS
package import FoundationEssentials

/// RGB whose primaries and whose power functions a file tells as plain numbers; the white point is D65.
package struct CalibratedRGB: Sendable, Hashable {
    /// The place of a colour in the CIE 1931 diagram.
    package struct Chromaticity: Sendable, Hashable {
        package var x: Double
        package var y: Double
    }

    /// Those of red, green and blue.
    package let primaries: [Chromaticity]
    /// The exponents that turn samples of red, green and blue into light, such as 2.2.
    package let exponents: [Double]

    /// - Returns: `nil` where the numbers cannot be meant, and where they are those of sRGB as nearly as files tell.
    package init?(primaries: [Chromaticity], exponents: [Double]) {
        guard primaries.count == 3, exponents.count == 3,
            primaries.allSatisfy({ $0.x > 0 && $0.y > 0 && $0.x + $0.y <= 1 }),
            exponents.allSatisfy({ (0.5...5).contains($0) })
        else {
            return nil
        }
        // Three primaries on one line span no colours.
        let (red, green, blue) = (primaries[0], primaries[1], primaries[2])
        let doubleArea = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
        guard abs(doubleArea) > 0.01 else {
            return nil
        }
        let isStandard =
            zip(primaries, Self.standardPrimaries).allSatisfy { abs($0.x - $1.x) < 0.006 && abs($0.y - $1.y) < 0.006 }
            && exponents.allSatisfy { abs($0 - 2.2) < 0.05 }
        guard !isStandard else {
            return nil
        }
        self.primaries = primaries
        self.exponents = exponents
    }

    /// IEC 61966-2-1.
    private static let standardPrimaries = [
        Chromaticity(x: 0.64, y: 0.33), Chromaticity(x: 0.3, y: 0.6), Chromaticity(x: 0.15, y: 0.06),
    ]

    /// The same as an ICC profile; `nil` where no profile can be made of it.
    package var profile: Data? {
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        func point(_ index: Int) -> cmsCIExyY { cmsCIExyY(x: primaries[index].x, y: primaries[index].y, Y: 1) }
        var triple = cmsCIExyYTRIPLE(Red: point(0), Green: point(1), Blue: point(2))
        let curves = exponents.map { cmsBuildGamma(nil, $0) }
        defer { curves.forEach { cmsFreeToneCurve($0) } }
        guard !curves.contains(nil), let handle = cmsCreateRGBProfile(&white, &triple, curves) else {
            return nil
        }
        defer { cmsCloseProfile(handle) }
        var byteCount: UInt32 = 0
        guard cmsSaveProfileToMem(handle, nil, &byteCount) != 0, byteCount > 0 else {
            return nil
        }
        var profile = Data(count: Int(byteCount))
        let isSaved = profile.withUnsafeMutableBytes { cmsSaveProfileToMem(handle, $0.baseAddress, &byteCount) != 0 }
        return isSaved ? profile : nil
    }
}
