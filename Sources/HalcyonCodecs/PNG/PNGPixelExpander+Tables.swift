extension PNGPixelExpander {
    /// The samples that tRNS names; of less than 16 bits, the lower ones count (PNG, 11.3.1.1).
    static func keys(_ transparency: [UInt8], bitDepth: Int) -> [UInt16] {
        let mask = UInt16.max >> UInt16(16 - bitDepth)
        return stride(from: 0, to: transparency.count - 1, by: 2).map {
            (UInt16(transparency[$0]) << 8 | UInt16(transparency[$0 + 1])) & mask
        }
    }

    /// Pixels of a palette. An index beyond its end is an error that decoders are to survive; such
    /// pixels are opaque black.
    static func paletteTable(_ palette: [UInt8], alpha: [UInt8], _ premultiplies: Bool) -> [UInt32] {
        (0..<256).map { index in
            guard 3 * index + 2 < palette.count else {
                return 0xFF00_0000
            }
            let opacity = index < alpha.count ? UInt32(alpha[index]) : 255
            return (0..<3).reduce(opacity << 24) { pixel, channel in
                let straight = UInt32(palette[3 * index + channel])
                let color = premultiplies ? (straight * opacity * 2 + 255) / 510 : straight
                return pixel | color << UInt32(8 * channel)
            }
        }
    }

    /// Pixels of shades of grey with less than 16 bits.
    static func grayTable(bitDepth: Int, transparent: UInt16?) -> [UInt32] {
        let maximum = (1 << bitDepth) - 1
        return (0..<256).map { value in
            if let transparent, Int(transparent) == value {
                return 0
            }
            return UInt32(min(value, maximum) * 255 / maximum) * 0x01_0101 | 0xFF00_0000
        }
    }
}
