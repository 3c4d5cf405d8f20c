/// Encodes pixels as the chunks of a QOI (specification 1.0, "Data chunks"), choosing the shortest for each.
struct QOIPixelWriter {
    /// Bytes of the longest chunk.
    static let maximumByteCount = 5

    private var previous = QOIPixel.black
    private var run = 0
    private var seen = [QOIPixel](repeating: QOIPixel(bits: 0), count: 64)

    /// Writes the chunks of a row with straight alpha and returns the number of their bytes: at most
    /// ``maximumByteCount`` a pixel and 1 more for a run that began in an earlier row.
    mutating func write(_ row: UnsafePointer<UInt8>, count: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let row = UnsafeRawPointer(row)
        var (previous, run, offset) = (self.previous, self.run, 0)
        seen.withUnsafeMutableBufferPointer { seen in
            for x in 0..<count {
                let pixel = QOIPixel(bits: row.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self))
                if pixel == previous {
                    run &+= 1
                    if run == QOIPixelReader.maximumRunLength {
                        out[offset] = Self.runTag(run)
                        offset &+= 1
                        run = 0
                    }
                    continue
                }
                if run > 0 {
                    out[offset] = Self.runTag(run)
                    offset &+= 1
                    run = 0
                }
                let hash = pixel.hash
                if seen[hash] == pixel {
                    out[offset] = UInt8(truncatingIfNeeded: hash)
                    offset &+= 1
                } else {
                    seen[hash] = pixel
                    offset &+= Self.write(pixel, after: previous, to: out + offset)
                }
                previous = pixel
            }
        }
        (self.previous, self.run) = (previous, run)
        return offset
    }

    /// The chunk of a run that reaches to the end of the image, if there is one.
    func finalChunk() -> [UInt8] {
        run > 0 ? [Self.runTag(run)] : []
    }

    private static func runTag(_ length: Int) -> UInt8 {
        0xc0 | UInt8(truncatingIfNeeded: length &- 1)
    }

    /// A chunk with the difference to the previous pixel, or with whole samples.
    private static func write(
        _ pixel: QOIPixel,
        after previous: QOIPixel,
        to out: UnsafeMutablePointer<UInt8>
    ) -> Int {
        guard pixel.alpha == previous.alpha else {
            out[0] = 0xff
            (out[1], out[2], out[3], out[4]) = (pixel.red, pixel.green, pixel.blue, pixel.alpha)
            return 5
        }
        // Differences wrap around; each is moved so that those that fit start at 0.
        let red = pixel.red &- previous.red
        let green = pixel.green &- previous.green
        let blue = pixel.blue &- previous.blue
        if red &+ 2 < 4, green &+ 2 < 4, blue &+ 2 < 4 {
            out[0] = 0x40 | (red &+ 2) << 4 | (green &+ 2) << 2 | (blue &+ 2)
            return 1
        }
        let redBeyondGreen = red &- green &+ 8
        let blueBeyondGreen = blue &- green &+ 8
        if green &+ 32 < 64, redBeyondGreen < 16, blueBeyondGreen < 16 {
            out[0] = 0x80 | (green &+ 32)
            out[1] = redBeyondGreen << 4 | blueBeyondGreen
            return 2
        }
        out[0] = 0xfe
        (out[1], out[2], out[3]) = (pixel.red, pixel.green, pixel.blue)
        return 4
    }
}
