internal import HalcyonCodecs

/// Reads samples of one width and kind as 16-bit numbers, the greatest of which stands for full intensity.
///
/// libtiff hands out samples of 16, 24, 32 and 64 bits in the byte order of this machine, and all others packed from
/// the high bit on.
struct TIFFSampleReader {
    enum Kind {
        case unsigned
        case signed
        case float
    }

    let bits: Int
    private let kind: Kind
    /// A Boolean value that indicates whether numbers are indexes, which stay as they are.
    private let isIndex: Bool

    /// `nil` for widths that no program writes.
    init?(bits: Int, kind: Kind, isIndex: Bool) {
        switch kind {
        case .unsigned, .signed:
            guard (1...16).contains(bits) || (!isIndex && [24, 32, 64].contains(bits)) else {
                return nil
            }
        case .float:
            guard !isIndex, [16, 24, 32, 64].contains(bits) else {
                return nil
            }
        }
        self.bits = bits
        self.kind = kind
        self.isIndex = isIndex
    }

    /// Reads every `step`-th sample from the one at `first` on.
    ///
    /// `row` must hold `first + (count - 1) * step + 1` samples, rounded up to whole bytes.
    func read(
        _ row: UnsafeRawPointer,
        from first: Int,
        step: Int,
        count: Int,
        into out: UnsafeMutablePointer<UInt16>
    ) {
        switch (kind, bits) {
        case (.float, _):
            for index in 0..<count {
                out[index] = Self.scaled(float(row, first &+ index &* step))
            }
        case (_, 8):
            // Programs that call 8-bit samples signed write unsigned ones nevertheless, and Pillow reads them so.
            let scale: UInt16 = isIndex ? 1 : 257
            for index in 0..<count {
                let value = row.load(fromByteOffset: first &+ index &* step, as: UInt8.self)
                out[index] = UInt16(value) &* scale
            }
        case (_, 16):
            let flip: UInt16 = kind == .signed ? 0x8000 : 0
            for index in 0..<count {
                out[index] = row.loadUnaligned(fromByteOffset: (first &+ index &* step) &* 2, as: UInt16.self) ^ flip
            }
        case (_, 24), (_, 32), (_, 64):
            // The upper 16 bits, which stand last in a little-endian number.
            let byteCount = bits / 8
            let flip: UInt16 = kind == .signed ? 0x8000 : 0
            for index in 0..<count {
                let end = (first &+ index &* step &+ 1) &* byteCount
                out[index] = row.loadUnaligned(fromByteOffset: end &- 2, as: UInt16.self) ^ flip
            }
        default:
            readPacked(row, from: first, step: step, count: count, into: out)
        }
    }

    private func readPacked(
        _ row: UnsafeRawPointer,
        from first: Int,
        step: Int,
        count: Int,
        into out: UnsafeMutablePointer<UInt16>
    ) {
        let mask = UInt32(1) << UInt32(bits) &- 1
        let flip = kind == .signed ? UInt32(1) << UInt32(bits &- 1) : 0
        for index in 0..<count {
            let place = (first &+ index &* step) &* bits
            let end = place &+ bits
            var value: UInt32 = 0
            // At most 15 bits lie in at most three bytes.
            for byte in place >> 3...(end &- 1) >> 3 {
                value = value << 8 | UInt32(row.load(fromByteOffset: byte, as: UInt8.self))
            }
            value = (value >> UInt32(-end & 7) & mask) ^ flip
            out[index] = UInt16(truncatingIfNeeded: isIndex ? value : value &* 65_535 / mask)
        }
    }

    private func float(_ row: UnsafeRawPointer, _ index: Int) -> Double {
        switch bits {
        case 16:
            Self.half(row.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
        case 24:
            Self.threeBytes(
                UInt32(row.load(fromByteOffset: index &* 3, as: UInt8.self))
                    | UInt32(row.loadUnaligned(fromByteOffset: index &* 3 &+ 1, as: UInt16.self)) << 8
            )
        case 32:
            Double(row.loadUnaligned(fromByteOffset: index &* 4, as: Float.self))
        default:
            row.loadUnaligned(fromByteOffset: index &* 8, as: Double.self)
        }
    }

    /// 0 to 1; what is no number is black.
    private static func scaled(_ value: Double) -> UInt16 {
        value > 0 ? UInt16(min(value, 1) * 65_535 + 0.5) : 0
    }

    /// IEEE 754 binary16. `Float16` does not exist on every platform of Swift.
    private static func half(_ bits: UInt16) -> Double {
        let exponent = Int(bits >> 10 & 0x1f)
        let fraction = Double(bits & 0x3ff) / 1_024
        let magnitude =
            switch exponent {
            case 0: Double(sign: .plus, exponent: -14, significand: fraction)
            case 0x1f: fraction == 0 ? Double.infinity : .nan
            default: Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
            }
        return bits >> 15 == 0 ? magnitude : -magnitude
    }

    /// Adobe's 24-bit floating point: a sign, 7 bits of exponent, 16 of fraction (TIFF technical note 3).
    private static func threeBytes(_ bits: UInt32) -> Double {
        let exponent = Int(bits >> 16 & 0x7f)
        let fraction = Double(bits & 0xffff) / 65_536
        let magnitude =
            switch exponent {
            case 0: Double(sign: .plus, exponent: -62, significand: fraction)
            case 0x7f: fraction == 0 ? Double.infinity : .nan
            default: Double(sign: .plus, exponent: exponent - 63, significand: 1 + fraction)
            }
        return bits >> 23 == 0 ? magnitude : -magnitude
    }
}
