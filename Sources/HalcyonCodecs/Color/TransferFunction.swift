internal import Glibc
internal import HalcyonRaster

/// The function by which samples become light, by its number in ITU-T H.273 table 3.
///
/// The curves are those of the table, read backwards. Only those of BT.709, BT.601, BT.2020 and their relatives are not:
/// they describe cameras, and displays show such images by the curve of sRGB, as browsers do. Images of a high dynamic
/// range, PQ and HLG, are brought down to that of sRGB by ``rolledOff(_:)``.
struct TransferFunction: Sendable {
    /// Linear light of a sample, both from 0 to 1.
    let light: @Sendable (Double) -> Double

    /// `nil` for reserved numbers. Number 2, "unspecified", is taken as sRGB as well.
    init?(code: Int) {
        switch code {
        case 1, 2, 6, 11, 12, 13, 14, 15:
            light = ColorShaper.decoded
        case 4:
            light = { pow($0, 2.2) }
        case 5:
            light = { pow($0, 2.8) }
        case 7:
            light = { $0 < 0.0913 ? $0 / 4 : pow(($0 + 0.1115) / 1.1115, 1 / 0.45) }
        case 8:
            light = { $0 }
        case 9:
            light = { $0 <= 0 ? 0 : pow(10, 2 * ($0 - 1)) }
        case 10:
            light = { $0 <= 0 ? 0 : pow(10, 2.5 * ($0 - 1)) }
        case 16:
            light = { Self.rolledOff(Self.perceptualQuantizer($0)) }
        case 17:
            light = { min(1, pow($0, 2.6) * 52.37 / 48) }
        case 18:
            light = { Self.rolledOff(Self.hybridLogGamma($0)) }
        default:
            return nil
        }
    }

    /// The brightness of white on paper and in captions, in candela a square metre (ITU-R BT.2408, 2.2).
    private static let referenceWhite = 203.0

    /// Light of which 1 is reference white, of a sample of PQ (ITU-R BT.2100 table 4, SMPTE ST 2084).
    private static func perceptualQuantizer(_ sample: Double) -> Double {
        let root = pow(sample, 1 / 78.843_75)
        let quotient = max(0, root - 0.835_937_5) / (18.851_562_5 - 18.6875 * root)
        return 10_000 * pow(quotient, 1 / 0.159_301_757_812_5) / referenceWhite
    }

    /// Light of which 1 is reference white, of a sample of HLG on a display of 1,000 cd/m² (ITU-R BT.2100 table 5). The
    /// display's gamma of 1.2 is applied to each channel instead of to luminance.
    private static func hybridLogGamma(_ sample: Double) -> Double {
        let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73)
        let scene = sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
        return 1_000 * pow(scene, 1.2) / referenceWhite
    }

    /// Simple tone mapping, channel by channel: light up to 0.6 of reference white stays, and everything brighter is
    /// drawn together below 1, smoothly, by an exponential. Reference white itself becomes 0.85.
    static func rolledOff(_ light: Double) -> Double {
        let knee = 0.6
        return light <= knee ? light : knee + (1 - knee) * (1 - exp(-(light - knee) / (1 - knee)))
    }
}
