internal import FoundationEssentials

/// The colour space that a header of version 4 or 5 names ([MS-WMF] 2.1.1.14 and 2.2.2.4).
enum BMPColor {
    /// Also what older headers mean.
    case sRGB
    /// An ICC profile at an offset from the start of the header.
    case embedded(offset: Int, byteCount: Int)
    /// Primaries and exponents told as numbers.
    case calibrated(CalibratedRGB)

    init(_ fields: BMPHeaderFields) {
        let isVersion4 = fields.byteCount >= 108
        let isVersion5 = fields.byteCount >= 124
        switch fields.number(at: 56) {
        case 0 where isVersion4:
            self = Self.calibrated(fields) ?? .sRGB
        case 0x4d42_4544 where isVersion5:
            self = .embedded(offset: fields.number(at: 112), byteCount: fields.number(at: 116))
        default:
            // "sRGB", "Win " and "LINK", a profile in another file.
            self = .sRGB
        }
    }

    /// The embedded profile, as far as `data` reaches.
    func embeddedProfile(in data: Data, headerStart: Int) -> Data? {
        guard case .embedded(let offset, let byteCount) = self, byteCount > 0 else {
            return nil
        }
        return ByteReader(data).bytes(at: headerStart + offset, count: byteCount)
    }

    /// Returns the colour profile of the samples, or `nil` for sRGB.
    func profile(in data: Data, headerStart: Int) throws(CodecError) -> ColorProfile? {
        switch self {
        case .sRGB: nil
        case .embedded:
            ColorProfile(embedded: try .written(copying: embeddedProfile(in: data, headerStart: headerStart)))
        case .calibrated(let color): color.profile.map(ColorProfile.icc)
        }
    }

    /// X, Y and Z of each primary with 30 binary places, then each channel's exponent with 16 binary places. Files have
    /// zeros where they mean nothing by it.
    ///
    /// The chromaticity does not depend on whether X, Y and Z sum up to 1. Programs write the exponent of the
    /// power function or its inverse; the greater of both is meant, since images are stored darker than their light.
    private static func calibrated(_ fields: BMPHeaderFields) -> BMPColor? {
        func fixed(_ offset: Int, _ places: Int) -> Double {
            Double(Int32(truncatingIfNeeded: fields.number(at: offset))) / Double(1 << places)
        }
        let primaries = [60, 72, 84].compactMap { offset -> CalibratedRGB.Chromaticity? in
            let (x, y, z) = (fixed(offset, 30), fixed(offset + 4, 30), fixed(offset + 8, 30))
            return x + y + z > 0 ? CalibratedRGB.Chromaticity(x: x / (x + y + z), y: y / (x + y + z)) : nil
        }
        let exponents = [96, 100, 104].map { fixed($0, 16) }.map { $0 > 0 && $0 < 1 ? 1 / $0 : $0 }
        return CalibratedRGB(primaries: primaries, exponents: exponents).map(BMPColor.calibrated)
    }
}
