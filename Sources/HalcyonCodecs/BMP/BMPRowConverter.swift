/// Turns rows of pixels that are not compressed into red, green, blue and straight alpha.
struct BMPRowConverter {
    private enum Layout {
        case indexed(bitsPerPixel: Int, [UInt32])
        /// Blue, green, red, and a fourth byte without meaning if there are four.
        case bytes(perPixel: Int)
        case bitFields(bytesPerPixel: Int, BMPBitFields, samples: [UInt8], showsAlpha: Bool)
    }

    private let layout: Layout
    private let width: Int

    init(_ image: BMPImage) {
        let header = image.header
        width = header.size.width
        switch header.compression {
        case .bitFields(let fields):
            layout = .bitFields(
                bytesPerPixel: header.bitsPerPixel / 8,
                fields,
                samples: fields.samples,
                showsAlpha: image.showsAlpha
            )
        case .none where header.isIndexed:
            layout = .indexed(bitsPerPixel: header.bitsPerPixel, image.palette.colors)
        case .none, .runLengths:
            layout = .bytes(perPixel: header.bitsPerPixel / 8)
        }
    }

    /// Converts a row; says whether alpha may be below 255.
    func convert(_ source: UnsafeRawPointer, into out: UnsafeMutablePointer<UInt8>) -> Bool {
        let out = UnsafeMutableRawPointer(out)
        switch layout {
        case .indexed(let bitsPerPixel, let colors):
            colors.withUnsafeBufferPointer { Self.indexed(source, bitsPerPixel, $0, out, count: width) }
            return false
        case .bytes(let bytesPerPixel):
            Self.bytes(source, bytesPerPixel, out, count: width)
            return false
        case .bitFields(let bytesPerPixel, let fields, let samples, let showsAlpha):
            samples.withUnsafeBufferPointer {
                Self.bitFields(source, bytesPerPixel, fields, $0, showsAlpha ? 0 : 0xff00_0000, out, count: width)
            }
            return showsAlpha
        }
    }

    private static func indexed(
        _ source: UnsafeRawPointer,
        _ bitsPerPixel: Int,
        _ colors: UnsafeBufferPointer<UInt32>,
        _ out: UnsafeMutableRawPointer,
        count: Int
    ) {
        guard bitsPerPixel < 8 else {
            for x in 0..<count {
                let index = source.load(fromByteOffset: x, as: UInt8.self)
                out.storeBytes(of: colors[Int(index)], toByteOffset: x &* 4, as: UInt32.self)
            }
            return
        }
        // The leftmost pixel is in the highest bits.
        let mask = UInt8(1 << bitsPerPixel) &- 1
        for x in 0..<count {
            let bit = x &* bitsPerPixel
            let byte = source.load(fromByteOffset: bit >> 3, as: UInt8.self)
            let index = byte >> UInt8(truncatingIfNeeded: 8 &- bitsPerPixel &- bit & 7) & mask
            out.storeBytes(of: colors[Int(index)], toByteOffset: x &* 4, as: UInt32.self)
        }
    }

    private static func bytes(
        _ source: UnsafeRawPointer,
        _ bytesPerPixel: Int,
        _ out: UnsafeMutableRawPointer,
        count: Int
    ) {
        let source = source.assumingMemoryBound(to: UInt8.self)
        for x in 0..<count {
            let pixel = source + x &* bytesPerPixel
            let bits = UInt32(pixel[2]) | UInt32(pixel[1]) << 8 | UInt32(pixel[0]) << 16 | 0xff00_0000
            out.storeBytes(of: bits, toByteOffset: x &* 4, as: UInt32.self)
        }
    }

    private static func bitFields(
        _ source: UnsafeRawPointer,
        _ bytesPerPixel: Int,
        _ fields: BMPBitFields,
        _ samples: UnsafeBufferPointer<UInt8>,
        _ forced: UInt32,
        _ out: UnsafeMutableRawPointer,
        count: Int
    ) {
        // Of more than 8 bits the upper 8; the shift moves them to the lowest place.
        func shift(_ index: Int) -> UInt32 {
            fields.channels[index].shift + UInt32(max(0, fields.channels[index].bitCount - 8))
        }
        func mask(_ index: Int) -> UInt32 { fields.channels[index].mask >> shift(index) }
        let (redShift, greenShift, blueShift, alphaShift) = (shift(0), shift(1), shift(2), shift(3))
        let (redMask, greenMask, blueMask, alphaMask) = (mask(0), mask(1), mask(2), mask(3))
        for x in 0..<count {
            let pixel: UInt32 =
                bytesPerPixel == 4
                ? UInt32(littleEndian: source.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self))
                : UInt32(UInt16(littleEndian: source.loadUnaligned(fromByteOffset: x &* 2, as: UInt16.self)))
            let red = UInt32(samples[Int(pixel >> redShift & redMask)])
            let green = UInt32(samples[256 &+ Int(pixel >> greenShift & greenMask)])
            let blue = UInt32(samples[512 &+ Int(pixel >> blueShift & blueMask)])
            let alpha = UInt32(samples[768 &+ Int(pixel >> alphaShift & alphaMask)])
            let bits = red | green << 8 | blue << 16 | alpha << 24 | forced
            out.storeBytes(of: bits, toByteOffset: x &* 4, as: UInt32.self)
        }
    }
}
