internal import HalcyonRaster

/// Decodes pixels compressed as runs ([MS-WMF] 3.1.6, and the same with 3 bytes a pixel by OS/2).
///
/// Pixels that no run reaches stay transparent, as browsers show them: those passed over by a delta or by the end of a
/// line, and those behind the end of the bitmap. What lies beyond the right edge is cut off.
struct BMPRunLengths {
    /// Codes between two questions whether decoding is cancelled.
    private static let codesBetweenQuestions = 4_096

    private let image: BMPImage
    private let bitsPerPixel: Int
    private let bytes: UnsafeRawBufferPointer
    private let colors: [UInt32]
    private let size: PixelSize
    private var offset: Int
    private var x = 0
    /// A Boolean value that indicates whether a row has been decoded.
    var hasRow: Bool { y > 0 || x == size.width }
    /// Counted in the order of the file.
    private var y = 0

    /// The offset behind the runs and the mark for the end of the bitmap, once they are decoded.
    var end: Int {
        let hasMark = offset + 2 <= bytes.count && bytes[offset] == 0 && bytes[offset + 1] == 1
        return hasMark ? offset + 2 : offset
    }

    init(_ image: BMPImage) {
        self.image = image
        bitsPerPixel = image.header.bitsPerPixel
        bytes = image.bytes
        colors = image.palette.colors
        size = image.header.size
        offset = image.pixelsOffset
    }

    /// Decodes all runs into transparent rows.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the last pixel and without saying so, and
    ///   `CancellationError`.
    mutating func decode(into rows: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) throws {
        var codeCount = 0
        while y < size.height {
            codeCount &+= 1
            if codeCount % Self.codesBetweenQuestions == 0, image.isCancelled() {
                throw CancellationError()
            }
            guard offset + 2 <= bytes.count else {
                return try endOfBytes()
            }
            let (count, value) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            let row = UnsafeMutableRawPointer(rows + image.row(y) * bytesPerRow)
            switch (count, value) {
            case (0, 0):
                offset += 2
                (x, y) = (0, y + 1)
            case (0, 1):
                return
            case (0, 2):
                guard offset + 4 <= bytes.count else {
                    return try endOfBytes()
                }
                x = min(size.width, x + Int(bytes[offset + 2]))
                y += Int(bytes[offset + 3])
                offset += 4
            case (0, _):
                offset += 2
                try writePixels(value, to: row)
            default:
                offset += 1
                try writeRun(count, to: row)
            }
        }
    }

    /// As many pixels as said, each with its own value, padded to 16 bits.
    private mutating func writePixels(_ count: Int, to row: UnsafeMutableRawPointer) throws(CodecError) {
        let byteCount = (count * bitsPerPixel + 7) / 8
        // The padding at the end of the file may be missing.
        guard offset + byteCount <= bytes.count else {
            throw .truncated(image.format)
        }
        let shown = min(count, size.width - x)
        if bitsPerPixel == 8 {
            // The most common kind.
            let (bytes, first) = (bytes, offset)
            colors.withUnsafeBufferPointer { colors in
                for index in 0..<shown {
                    let color = colors[Int(bytes[first &+ index])]
                    row.storeBytes(of: color, toByteOffset: (x &+ index) &* 4, as: UInt32.self)
                }
            }
        } else {
            for index in 0..<shown {
                row.storeBytes(of: color(index), toByteOffset: (x &+ index) &* 4, as: UInt32.self)
            }
        }
        x = min(size.width, x + count)
        offset += (byteCount + 1) & ~1
    }

    /// As many pixels as said with one value; with two alternating ones if a pixel has 4 bits.
    private mutating func writeRun(_ count: Int, to row: UnsafeMutableRawPointer) throws(CodecError) {
        let byteCount = max(1, bitsPerPixel / 8)
        guard offset + byteCount <= bytes.count else {
            throw .truncated(image.format)
        }
        let pair = bitsPerPixel == 4 ? (color(0), color(1)) : (color(0), color(0))
        for index in 0..<min(count, size.width - x) {
            let color = index & 1 == 0 ? pair.0 : pair.1
            row.storeBytes(of: color, toByteOffset: (x &+ index) &* 4, as: UInt32.self)
        }
        x = min(size.width, x + count)
        offset += byteCount
    }

    /// The colour of the pixel that is the n-th from the current byte on.
    private func color(_ index: Int) -> UInt32 {
        switch bitsPerPixel {
        case 4:
            let byte = bytes[offset &+ index >> 1]
            return colors[Int(index & 1 == 0 ? byte >> 4 : byte & 15)]
        case 8:
            return colors[Int(bytes[offset &+ index])]
        default:
            let pixel = offset &+ index &* 3
            let (blue, green, red) = (UInt32(bytes[pixel]), UInt32(bytes[pixel &+ 1]), UInt32(bytes[pixel &+ 2]))
            return red | green << 8 | blue << 16 | 0xff00_0000
        }
    }

    /// Nobody misses the mark for the end of the bitmap behind its last pixel.
    private func endOfBytes() throws(CodecError) {
        guard y == size.height - 1, x == size.width else {
            throw .truncated(image.format)
        }
    }
}
