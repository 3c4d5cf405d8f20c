internal import FoundationEssentials
internal import Glibc
internal import HalcyonRaster

extension ICCProfile {
    /// Returns whether a profile says with curves and, unless it is one for grey, primaries that samples are sRGB, as
    /// exactly as samples of 8 bits can tell. One with a table never is.
    ///
    /// Takes microseconds, so that it can be asked for every image.
    static func isSRGB(_ profile: Data) -> Bool {
        profile.withUnsafeBytes { SRGBComparison($0)?.isSRGB ?? false }
    }
}

/// Compares the numbers of a profile with those of sRGB.
private struct SRGBComparison {
    private let bytes: UnsafeRawBufferPointer
    /// The places of the tags that count, by their signatures.
    private var places: [UInt32: Int] = [:]
    private let isGray: Bool

    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard let tagCount = Self.number(bytes, at: 128), tagCount <= ICCTagWalker.maximumTagCount,
            let colorSpace = Self.number(bytes, at: 16), colorSpace == Self.rgb || colorSpace == Self.gray,
            Self.number(bytes, at: 20) == Self.xyz
        else { return nil }
        isGray = colorSpace == Self.gray
        for index in 0..<Int(tagCount) {
            guard let tag = Self.number(bytes, at: 132 + index * 12),
                let offset = Self.number(bytes, at: 136 + index * 12)
            else { return nil }
            places[tag] = Int(offset)
        }
    }

    var isSRGB: Bool {
        let tables: [UInt32] = [0x4132_4230, 0x4432_4230]
        guard !tables.contains(where: { places[$0] != nil }) else { return false }
        let curves = isGray ? [Self.grayCurve] : Self.curves
        let starts = Set(curves.map { places[$0] })
        return starts.allSatisfy { $0.map(isStandardCurve) ?? false } && (isGray || hasStandardPrimaries)
    }

    /// Returns whether black, white, the primaries and the mixtures of two of them are those of sRGB.
    private var hasStandardPrimaries: Bool {
        let colorants = Self.colorants.compactMap { places[$0].flatMap(point) }
        guard colorants.count == 3 else { return false }
        let matrix =
            ColorPrimaries.matrixFromConnectionSpace * ColorMatrix(colorants[0], colorants[1], colorants[2])
        return (1..<8).allSatisfy { corner in
            let color = SIMD3(Double(corner & 1), Double(corner >> 1 & 1), Double(corner >> 2))
            let light = matrix * color
            return (0..<3).allSatisfy { channel in
                let sample = ColorShaper.encoded(min(max(light[channel], 0), 1))
                return abs(sample - color[channel]) <= Self.tolerance
            }
        }
    }

    private func isStandardCurve(at place: Int) -> Bool {
        guard let curve = curve(at: place) else { return false }
        return Self.samples.allSatisfy { sample in
            let light = curve(sample.value)
            return sample.least <= light && light <= sample.greatest
        }
    }

    /// From samples to light, by a curveType or a parametricCurveType (ICC.1:2022 10.6 and 10.18).
    private func curve(at place: Int) -> ((Double) -> Double)? {
        switch number(at: place) {
        case 0x6375_7276?:
            guard let count = number(at: place + 8).map(Int.init), count <= bytes.count / 2,
                place + 12 + count * 2 <= bytes.count
            else { return nil }
            func entry(_ index: Int) -> Double {
                Double(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 12 + index * 2, as: UInt16.self)))
            }
            if count < 2 {
                let exponent = count == 0 ? 1 : entry(0) / 256
                return { pow($0, exponent) }
            }
            return { sample in
                let position = sample * Double(count - 1)
                let index = min(Int(position), count - 2)
                let (low, high) = (entry(index), entry(index + 1))
                return (low + (high - low) * (position - Double(index))) / 65_535
            }
        case 0x7061_7261?:
            guard let kind = number(at: place + 8).map({ Int($0 >> 16) }), kind <= 4 else { return nil }
            let values = (0..<[1, 3, 4, 5, 7][kind]).compactMap { fixed(at: place + 12 + $0 * 4) }
            guard values.count == [1, 3, 4, 5, 7][kind] else { return nil }
            let exponent = values[0]
            guard kind > 0 else { return { pow($0, exponent) } }
            let (scale, shift) = (values[1], values[2])
            // Below the border: a line, which is zero, or the constant, in the kinds that have none.
            let border = kind < 3 ? -shift / scale : values[4]
            let slope = kind < 3 ? 0 : values[3]
            let constant = kind == 2 ? values[3] : kind == 4 ? values[5] : 0
            let lineConstant = kind == 2 ? values[3] : kind == 4 ? values[6] : 0
            return { sample in
                sample >= border
                    ? pow(scale * sample + shift, exponent) + constant : slope * sample + lineConstant
            }
        default:
            return nil
        }
    }

    private func point(at place: Int) -> SIMD3<Double>? {
        guard number(at: place) == Self.xyz, let x = fixed(at: place + 8), let y = fixed(at: place + 12),
            let z = fixed(at: place + 16)
        else { return nil }
        return SIMD3(x, y, z)
    }

    private func fixed(at place: Int) -> Double? {
        number(at: place).map { Double(Int32(bitPattern: $0)) / 65_536 }
    }

    private func number(at place: Int) -> UInt32? { Self.number(bytes, at: place) }

    private static func number(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt32? {
        guard place >= 0, place + 4 <= bytes.count else { return nil }
        return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    // Signatures in ASCII: "RGB ", "GRAY", "XYZ ", "rTRC", "gTRC", "bTRC", "kTRC", "rXYZ", "gXYZ", "bXYZ".
    private static let rgb: UInt32 = 0x5247_4220
    private static let gray: UInt32 = 0x4752_4159
    private static let xyz: UInt32 = 0x5859_5A20
    private static let curves: [UInt32] = [0x7254_5243, 0x6754_5243, 0x6254_5243]
    private static let grayCurve: UInt32 = 0x6B54_5243
    private static let colorants: [UInt32] = [0x7258_595A, 0x6758_595A, 0x6258_595A]

    /// Curves and primaries together move no sample by more than one level of 8 bits.
    private static let tolerance = 0.75 / 255

    /// Samples, more of them where it is dark, with the light between which that of a curve must lie.
    private static let samples: [(value: Double, least: Double, greatest: Double)] =
        (Array(0...16) + Array(stride(from: 20, through: 255, by: 5))).map { level in
            let sample = Double(level) / 255
            // Below black and above white nothing can be seen.
            let least = level == 0 ? -1 : ColorShaper.decoded(sample - tolerance)
            return (sample, least, level == 255 ? 2 : ColorShaper.decoded(sample + tolerance))
        }
}
