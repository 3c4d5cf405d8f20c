internal import HalcyonRaster

/// Turns unfiltered rows of any colour type into RGBA of 8 bits, premultiplied unless told otherwise.
///
/// Rows are raw pointers here: the subscripts of arrays cost a check a byte, and the lengths are those of the buffers
/// that ``PNGStreamDecoder`` made from the header, never a number from the compressed data. A sample is at most 8 bits
/// wide wherever it is used as an index, and every table has 256 entries.
struct PNGPixelExpander {
    private enum Layout {
        /// Samples of 1, 2, 4 or 8 bits that are looked up: palettes and shades of grey.
        case indexed(bitDepth: Int)
        case gray16(transparent: UInt16?)
        case rgb8
        case rgb8Keyed(UInt32)
        case bgr8
        case rgb16(transparent: (UInt16, UInt16, UInt16)?)
        case grayAlpha(bytesPerSample: Int)
        case rgba8
        case premultipliedBGRA8
        case rgba16
    }

    private let layout: Layout
    private let table: [UInt32]
    private let premultiplies: Bool

    /// An expander for the rows of this file.
    init(_ file: PNGFile, premultiplies: Bool = true) {
        self.premultiplies = premultiplies
        let header = file.header
        let keys = PNGPixelExpander.keys(file.transparency ?? [], bitDepth: header.bitDepth)
        var table: [UInt32] = []
        switch header.colorType {
        case .palette:
            table = PNGPixelExpander.paletteTable(file.palette, alpha: file.transparency ?? [], premultiplies)
            layout = .indexed(bitDepth: header.bitDepth)
        case .gray where header.bitDepth == 16:
            layout = .gray16(transparent: keys.first)
        case .gray:
            table = PNGPixelExpander.grayTable(bitDepth: header.bitDepth, transparent: keys.first)
            layout = .indexed(bitDepth: header.bitDepth)
        case .rgb where header.bitDepth == 16:
            layout = .rgb16(transparent: keys.count >= 3 ? (keys[0], keys[1], keys[2]) : nil)
        case .rgb where file.isAppleOptimized:
            layout = .bgr8
        case .rgb:
            if keys.count >= 3 {
                layout = .rgb8Keyed(UInt32(keys[0]) | UInt32(keys[1]) << 8 | UInt32(keys[2]) << 16)
            } else {
                layout = .rgb8
            }
        case .grayAlpha:
            layout = .grayAlpha(bytesPerSample: header.bitDepth / 8)
        case .rgba where header.bitDepth == 16:
            layout = .rgba16
        case .rgba:
            layout = file.isAppleOptimized ? .premultipliedBGRA8 : .rgba8
        }
        self.table = table
    }

    /// Writes `width` pixels from `row` to `output`; says whether all of them are opaque.
    func expand(_ row: UnsafeMutablePointer<UInt8>, width: Int, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        switch layout {
        case .rgba8:
            return premultiply(row, width, output)
        case .rgb8:
            PixelConversion.expand(rgb: row, into: output, count: width)
            return true
        case .indexed(let bitDepth):
            return expandIndexed(row, bitDepth, width, output)
        case .rgb8Keyed(let key):
            return write(width, output) { x in
                let pixel = UInt32(row[3 &* x]) | UInt32(row[3 &* x &+ 1]) << 8 | UInt32(row[3 &* x &+ 2]) << 16
                return pixel == key ? 0 : pixel | 0xFF00_0000
            }
        case .bgr8:
            return write(width, output) { x in
                UInt32(row[3 &* x &+ 2]) | UInt32(row[3 &* x &+ 1]) << 8 | UInt32(row[3 &* x]) << 16 | 0xFF00_0000
            }
        case .premultipliedBGRA8:
            _ = write(width, output) { x in
                UInt32(row[4 &* x &+ 2]) | UInt32(row[4 &* x &+ 1]) << 8 | UInt32(row[4 &* x]) << 16
                    | UInt32(row[4 &* x &+ 3]) << 24
            }
            return PixelConversion.limitColors(output, count: width)
        case .gray16(let transparent):
            return write(width, output) { x in
                let high = row[2 &* x]
                let value = UInt16(high) << 8 | UInt16(row[2 &* x &+ 1])
                return value == transparent ? 0 : UInt32(high) &* 0x01_0101 | 0xFF00_0000
            }
        case .rgb16(let transparent):
            return expandRGB16(row, transparent, width, output)
        case .grayAlpha(let size):
            _ = write(width, output) { x in
                UInt32(row[2 &* size &* x]) &* 0x01_0101 | UInt32(row[2 &* size &* x &+ size]) << 24
            }
            return premultiply(output, width, output)
        case .rgba16:
            _ = write(width, output) { x in
                UInt32(row[8 &* x]) | UInt32(row[8 &* x &+ 2]) << 8 | UInt32(row[8 &* x &+ 4]) << 16
                    | UInt32(row[8 &* x &+ 6]) << 24
            }
            return premultiply(output, width, output)
        }
    }

    private func premultiply(
        _ row: UnsafeMutablePointer<UInt8>,
        _ width: Int,
        _ output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard premultiplies else {
            return write(width, output) { x in
                UnsafeRawPointer(row).loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
            }
        }
        return PixelConversion.premultiply(row, into: output, count: width)
    }

    private func expandIndexed(
        _ row: UnsafeMutablePointer<UInt8>,
        _ bitDepth: Int,
        _ width: Int,
        _ output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        table.withUnsafeBufferPointer { table in
            guard bitDepth < 8 else {
                return write(width, output) { x in table[Int(row[x])] }
            }
            let perByte = 8 / bitDepth
            let mask = UInt8((1 << bitDepth) - 1)
            return write(width, output) { x in
                let shift = 8 &- bitDepth &* (x % perByte &+ 1)
                return table[Int(row[x / perByte] &>> UInt8(truncatingIfNeeded: shift) & mask)]
            }
        }
    }

    private func expandRGB16(
        _ row: UnsafeMutablePointer<UInt8>,
        _ transparent: (UInt16, UInt16, UInt16)?,
        _ width: Int,
        _ output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        write(width, output) { x in
            let sample = row + 6 &* x
            if let transparent,
                UInt16(sample[0]) << 8 | UInt16(sample[1]) == transparent.0,
                UInt16(sample[2]) << 8 | UInt16(sample[3]) == transparent.1,
                UInt16(sample[4]) << 8 | UInt16(sample[5]) == transparent.2
            {
                return 0
            }
            return UInt32(sample[0]) | UInt32(sample[2]) << 8 | UInt32(sample[4]) << 16 | 0xFF00_0000
        }
    }

    /// Writes one pixel after the other and says whether every alpha is 255.
    @inline(__always)
    private func write(_ width: Int, _ output: UnsafeMutablePointer<UInt8>, _ pixel: (Int) -> UInt32) -> Bool {
        let target = UnsafeMutableRawPointer(output)
        var all: UInt32 = .max
        for x in 0..<width {
            let value = pixel(x)
            all &= value
            target.storeBytes(of: value.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
        }
        return all >> 24 == 255
    }
}

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
