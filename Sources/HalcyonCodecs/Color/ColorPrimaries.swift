internal import HalcyonRaster

/// The red, green, blue and white of a colour space, as chromaticities x and y (CIE 1931).
struct ColorPrimaries: Hashable, Sendable {
    var red: SIMD2<Double>
    var green: SIMD2<Double>
    var blue: SIMD2<Double>
    var white: SIMD2<Double>

    /// From linear light of these primaries to linear light of sRGB, the white becoming sRGB's; `nil` where the
    /// primaries do not span a space.
    var matrixToSRGB: ColorMatrix? {
        guard let matrix = matrixToConnectionSpace else { return nil }
        return Self.matrixFromConnectionSpace * matrix
    }

    /// From linear light of these primaries to XYZ with the white D50, in which ICC profiles connect.
    var matrixToConnectionSpace: ColorMatrix? {
        guard let whitePoint = Self.tristimulus(white), let red = Self.tristimulus(red),
            let green = Self.tristimulus(green), let blue = Self.tristimulus(blue),
            let shares = ColorMatrix(red, green, blue).inverse.map({ $0 * whitePoint })
        else { return nil }
        let matrix = ColorMatrix(red * shares.x, green * shares.y, blue * shares.z)
        guard let adaptation = Self.adaptation(from: whitePoint) else { return nil }
        let adapted = adaptation * matrix
        return adapted.isFinite ? adapted : nil
    }

    /// From XYZ with the white D50 to linear light of sRGB.
    static let matrixFromConnectionSpace: ColorMatrix =
        ColorPrimaries.sRGB.matrixToConnectionSpace?.inverse ?? .identity

    private static let d50 = SIMD3(0.9642, 1.0, 0.8249)
    /// Cone responses (Lam 1985, "Bradford"), as ICC.1:2022 annex E adapts.
    private static let coneResponse = ColorMatrix(
        SIMD3(0.8951, -0.7502, 0.0389),
        SIMD3(0.2664, 1.7135, -0.0685),
        SIMD3(-0.1614, 0.0367, 1.0296)
    )

    private static func adaptation(from white: SIMD3<Double>) -> ColorMatrix? {
        let (source, target) = (coneResponse * white, coneResponse * d50)
        guard let inverse = coneResponse.inverse else { return nil }
        return inverse * ColorMatrix(scaling: target / source) * coneResponse
    }

    /// XYZ of a chromaticity, for Y = 1. SMPTE ST 428's primaries lie on the axes, where Y is 0: there for y = 10⁻⁹.
    private static func tristimulus(_ chromaticity: SIMD2<Double>) -> SIMD3<Double>? {
        guard chromaticity.x.isFinite, chromaticity.y.isFinite, chromaticity.y >= 0 else { return nil }
        let y = max(chromaticity.y, 1e-9)
        return SIMD3(chromaticity.x / y, 1, (1 - chromaticity.x - y) / y)
    }
}

extension ColorPrimaries {
    private static let whiteD65 = SIMD2(0.3127, 0.3290)
    private static let whiteC = SIMD2(0.310, 0.316)

    /// Of sRGB and ITU-R BT.709.
    static let sRGB = ColorPrimaries(
        red: SIMD2(0.64, 0.33),
        green: SIMD2(0.30, 0.60),
        blue: SIMD2(0.15, 0.06),
        white: whiteD65
    )

    /// Those of a number of ITU-T H.273 table 2; `nil` for reserved numbers. Number 2, "unspecified", is taken as sRGB.
    init?(code: Int) {
        switch code {
        case 1, 2:
            self = .sRGB
        case 4:
            // ITU-R BT.470, system M.
            self.init(SIMD2(0.67, 0.33), SIMD2(0.21, 0.71), SIMD2(0.14, 0.08), Self.whiteC)
        case 5:
            // ITU-R BT.601 with 625 lines.
            self.init(SIMD2(0.64, 0.33), SIMD2(0.29, 0.60), SIMD2(0.15, 0.06), Self.whiteD65)
        case 6, 7:
            // ITU-R BT.601 with 525 lines, and SMPTE ST 240.
            self.init(SIMD2(0.630, 0.340), SIMD2(0.310, 0.595), SIMD2(0.155, 0.070), Self.whiteD65)
        case 8:
            // Generic film with illuminant C.
            self.init(SIMD2(0.681, 0.319), SIMD2(0.243, 0.692), SIMD2(0.145, 0.049), Self.whiteC)
        case 9:
            // ITU-R BT.2020 and BT.2100.
            self.init(SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046), Self.whiteD65)
        case 10:
            // SMPTE ST 428-1: CIE XYZ itself.
            self.init(SIMD2(1, 0), SIMD2(0, 1), SIMD2(0, 0), SIMD2(1 / 3, 1 / 3))
        case 11:
            // SMPTE RP 431-2, the cinema's P3.
            self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), SIMD2(0.314, 0.351))
        case 12:
            // Display P3 (SMPTE EG 432-1).
            self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), Self.whiteD65)
        case 22:
            // EBU Tech 3213.
            self.init(SIMD2(0.630, 0.340), SIMD2(0.295, 0.605), SIMD2(0.155, 0.077), Self.whiteD65)
        default:
            return nil
        }
    }

    private init(_ red: SIMD2<Double>, _ green: SIMD2<Double>, _ blue: SIMD2<Double>, _ white: SIMD2<Double>) {
        self.init(red: red, green: green, blue: blue, white: white)
    }
}
