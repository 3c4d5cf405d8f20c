import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("BMP decoder")
struct BMPFormatTests {
    private func decode(_ data: Data) throws -> DecodedImage {
        let image = try BMPDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        #expect(try BMPDecoder().info(of: data, limits: .standard) == image.info)
        return image
    }

    private func pixels(_ data: Data) throws -> [[UInt8]] {
        let bitmap = try decode(data).bitmap
        return (0..<bitmap.height).flatMap { y in (0..<bitmap.width).map { x in bitmap[x, y] } }
    }

    @Test("palette numbers of 1, 2, 4 and 8 bits name colours, the leftmost in the highest bits")
    func indexed() throws {
        let colors = [BMPBytes.black, BMPBytes.red, BMPBytes.green, BMPBytes.blue]
        let rows: [(Int, [UInt8], [Int])] = [
            (1, [0b0100_0000, 0, 0, 0], [0, 1, 0]), (2, [0b0111_1000, 0, 0, 0], [1, 3, 2]),
            (4, [0x12, 0x30, 0, 0], [1, 2, 3]), (8, [3, 2, 1, 0], [3, 2, 1]),
        ]
        for (bits, row, expected) in rows {
            let header = BMPBytes.header(3, 1, bits: bits, colors: 4)
            let data = BMPBytes.file(header, BMPBytes.fourColors, row)
            #expect(try pixels(data) == expected.map { colors[$0] }, "\(bits) bits")
            #expect(try decode(data).info.bitDepth == bits)
            #expect(try decode(data).bitmap.isOpaque)
        }
    }

    @Test("rows go from the bottom to the top, or from the top to the bottom if the height is negative")
    func rowOrder() throws {
        let rows: [UInt8] = [255, 0, 0, 0, 0, 255, 0, 0]
        let upwards = BMPBytes.file(BMPBytes.header(1, 2, bits: 24), rows)
        let downwards = BMPBytes.file(BMPBytes.header(1, -2, bits: 24), rows)
        #expect(try pixels(upwards) == [BMPBytes.green, BMPBytes.blue])
        #expect(try pixels(downwards) == [BMPBytes.blue, BMPBytes.green])
    }

    @Test("the headers of OS/2 are read: 12 bytes with colours of 3 bytes, 16 to 64 with colours of 4 bytes")
    func formerHeaders() throws {
        let core = BMPBytes.number(12) + [2, 0, 1, 0, 1, 0, 1, 0]
        let coreColors = BMPBytes.palette([(0, 255, 0), (255, 0, 0)], entrySize: 3)
        #expect(try pixels(BMPBytes.file(core, coreColors, [0b0100_0000, 0, 0, 0])) == [BMPBytes.green, BMPBytes.red])
        for byteCount in [16, 24, 48, 64] {
            let header = BMPBytes.header(2, 1, bits: 1, byteCount: 64).prefix(byteCount)
            let data = BMPBytes.file(
                BMPBytes.number(byteCount) + header.dropFirst(4),
                Array(BMPBytes.fourColors.prefix(8)),
                [0b0100_0000, 0, 0, 0]
            )
            #expect(try pixels(data) == [BMPBytes.black, BMPBytes.red], "\(byteCount) bytes")
        }
    }

    @Test("a palette may be shorter or longer than its pixels need, and the offset of the pixels may be wrong")
    func paletteLength() throws {
        let row: [UInt8] = [1, 2, 200, 0]
        let expected = [BMPBytes.red, BMPBytes.green, BMPBytes.black]
        let long = BMPBytes.fourColors + [UInt8](repeating: 9, count: 4 * 296)
        #expect(
            try pixels(BMPBytes.file(BMPBytes.header(3, 1, bits: 8, colors: 4), BMPBytes.fourColors, row)) == expected
        )
        // The header promises 256 colours, and the pixels start behind the fourth.
        #expect(try pixels(BMPBytes.file(BMPBytes.header(3, 1, bits: 8), BMPBytes.fourColors, row)) == expected)
        let tooMany = BMPBytes.file(BMPBytes.header(2, 1, bits: 8, colors: 300), long, Array(row.prefix(2)))
        #expect(try pixels(tooMany) == Array(expected.prefix(2)))
        for offset in [0, 54] {
            let header = BMPBytes.header(3, 1, bits: 8, colors: 4)
            #expect(try pixels(BMPBytes.file(header, BMPBytes.fourColors, row, offset: offset)) == expected)
        }
    }

    @Test("16 bits are five a colour, spread over 0 to 255 and rounded")
    func fiveBits() throws {
        let data = BMPBytes.file(BMPBytes.header(2, 1, bits: 16), [0xff, 0x7f, 0x01, 0x04])
        #expect(try pixels(data) == [BMPBytes.white, [8, 0, 8, 255]])
        #expect(try decode(data).info.bitDepth == 5)
    }

    @Test(
        "bit fields stand behind a header of 40 bytes and within longer ones, with alpha from 56 bytes or by kind 6 on"
    )
    func bitFields() throws {
        let masks = BMPBytes.number(0xff) + BMPBytes.number(0xff00) + BMPBytes.number(0xff0000)
        let alpha = BMPBytes.number(0xff00_0000)
        let row: [UInt8] = [255, 0, 0, 128, 0, 0, 255, 255]
        let translucent: [[UInt8]] = [[128, 0, 0, 128], BMPBytes.blue]
        let opaque = [BMPBytes.red, BMPBytes.blue]
        let cases: [(kind: Int, byteCount: Int, within: [UInt8], behind: [UInt8], [[UInt8]])] = [
            (3, 40, [], masks, opaque), (6, 40, [], masks + alpha, translucent), (3, 52, masks, [], opaque),
            (3, 56, masks + alpha, [], translucent), (3, 108, masks + alpha, [], translucent),
            (3, 124, masks + alpha, [], translucent),
        ]
        for (kind, byteCount, within, behind, expected) in cases {
            let header = BMPBytes.header(
                2,
                1,
                bits: 32,
                compression: kind,
                byteCount: byteCount,
                further: within
            )
            let data = BMPBytes.file(header, behind, row)
            #expect(try pixels(data) == expected, "\(byteCount) bytes, kind \(kind)")
            #expect(try decode(data).bitmap.isOpaque == (expected == opaque))
            #expect(try decode(data).info.hasAlpha == (expected != opaque))
        }
    }

    @Test("a header of version 5 may have its channels in any order", arguments: [16, 32])
    func channelOrder(bits: Int) throws {
        let width = bits / 4
        let places = [0, 1, 2, 3].map { $0 * width }
        for red in places {
            for green in places where green != red {
                for blue in places where blue != red && blue != green {
                    let alpha = places.reduce(0, +) - red - green - blue
                    let order = [red, green, blue, alpha]
                    let masks = order.flatMap { BMPBytes.number((1 << width - 1) << $0) }
                    // 255, 102, 51 and opaque.
                    let samples = bits == 32 ? [255, 102, 51, 255] : [15, 6, 3, 15]
                    let pixel = zip(samples, order).reduce(0) { $0 | $1.0 << $1.1 }
                    let header = BMPBytes.header(1, 1, bits: bits, compression: 3, byteCount: 124, further: masks)
                    #expect(try pixels(BMPBytes.file(header, BMPBytes.number(pixel))) == [[255, 102, 51, 255]])
                }
            }
        }
    }

    @Test("channels of more than 8 bits lose the lower ones, and absent ones are 0")
    func wideFields() throws {
        let masks = BMPBytes.number(0x3ff0_0000) + BMPBytes.number(0) + BMPBytes.number(0x3ff)
        let data = BMPBytes.file(
            BMPBytes.header(2, 1, bits: 32, compression: 3),
            masks,
            BMPBytes.number(0x3ff0_0000) + BMPBytes.number(0x2000_0200)
        )
        #expect(try pixels(data) == [BMPBytes.red, [128, 0, 128, 255]])
        #expect(try decode(data).info.bitDepth == 10)
    }

    @Test("channels without bits are 0, also all of them", arguments: [16, 32])
    func emptyMasks(bits: Int) throws {
        let row = [UInt8](repeating: 255, count: 4)
        let cases: [(masks: [Int], expected: [UInt8])] = [
            ([0, 0, 0], BMPBytes.black), ([0xf, 0, 0], BMPBytes.red), ([0, 0xf, 0], BMPBytes.green),
            ([0, 0, 0xf], BMPBytes.blue), ([0xf0, 0xf, 0], [255, 255, 0, 255]),
        ]
        for (masks, expected) in cases {
            let header = BMPBytes.header(1, 1, bits: bits, compression: 3)
            let data = BMPBytes.file(header, masks.flatMap { BMPBytes.number($0) }, row)
            #expect(try pixels(data) == [expected], "\(masks)")
        }
        // A mask of alpha alone.
        let alpha = [0, 0, 0, 0xf].flatMap { BMPBytes.number($0) }
        let header = BMPBytes.header(1, 1, bits: bits, compression: 3, byteCount: 56, further: alpha)
        #expect(try pixels(BMPBytes.file(header, [0, 0, 0, 0])) == [BMPBytes.clear])
    }

    @Test("bits of masks that no pixel has do not count, and of a mask with a gap the lowest bits side by side")
    func impossibleMasks() throws {
        let masks = [0xf800, 0x7e0, 0x1f, 0xff00_0000].flatMap { BMPBytes.number($0) }
        let header = BMPBytes.header(2, 1, bits: 16, compression: 3, byteCount: 56, further: masks)
        let image = try decode(BMPBytes.file(header, [0, 0xf8, 0x1f, 0]))
        #expect(image.bitmap.isOpaque && !image.info.hasAlpha)
        #expect(image.bitmap[0, 0] == BMPBytes.red && image.bitmap[1, 0] == BMPBytes.blue)
        let gap = [0xf0f, 0xf0, 0].flatMap { BMPBytes.number($0) }
        let data = BMPBytes.file(BMPBytes.header(1, 1, bits: 32, compression: 3), gap, BMPBytes.number(0xf03))
        #expect(try pixels(data) == [[51, 0, 0, 255]])
    }

    @Test("the fourth byte of 32 bits is alpha only if a mask says so")
    func fourthByte() throws {
        let row: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
        #expect(try pixels(BMPBytes.file(BMPBytes.header(2, 1, bits: 32), row)) == [BMPBytes.red, BMPBytes.blue])
        let masks = [0xff0000, 0xff00, 0xff, 0xff00_0000].flatMap { BMPBytes.number($0) }
        let header = BMPBytes.header(2, 1, bits: 32, compression: 3, byteCount: 56, further: masks)
        #expect(try pixels(BMPBytes.file(header, row)) == [BMPBytes.clear, BMPBytes.clear])
        #expect(try pixels(BMPBytes.file(header, [0, 0, 255, 0, 255, 0, 0, 1])) == [BMPBytes.clear, [0, 0, 1, 1]])
    }

    @Test("runs, pixels of their own, ends of lines and jumps; what is not reached is transparent")
    func runLengths() throws {
        let header = BMPBytes.header(4, 3, bits: 8, compression: 1, colors: 4)
        let codes: [UInt8] = [2, 1, 0, 0, 0, 3, 1, 2, 3, 0, 0, 2, 0, 1, 1, 2, 0, 1]
        let image = try decode(BMPBytes.file(header, BMPBytes.fourColors, codes))
        let (red, green, blue, clear) = (BMPBytes.red, BMPBytes.green, BMPBytes.blue, BMPBytes.clear)
        #expect(!image.bitmap.isOpaque)
        #expect(
            try pixels(BMPBytes.file(header, BMPBytes.fourColors, codes)) == [
                clear, clear, clear, green,
                red, green, blue, clear,
                red, red, clear, clear,
            ]
        )
    }

    @Test("runs of 4 bits alternate between two colours, and those of 24 bits (OS/2) repeat one")
    func otherRunLengths() throws {
        let four = BMPBytes.header(5, 1, bits: 4, compression: 2, colors: 4)
        let (red, green, blue) = (BMPBytes.red, BMPBytes.green, BMPBytes.blue)
        // Three pixels of their own take two bytes; the run is cut at the edge.
        let codes: [UInt8] = [0, 3, 0x12, 0x30, 9, 0x12, 0, 1]
        #expect(try pixels(BMPBytes.file(four, BMPBytes.fourColors, codes)) == [red, green, blue, red, green])
        let full = BMPBytes.header(5, 1, bits: 24, compression: 4, byteCount: 64)
        let colors: [UInt8] = [2, 0, 0, 255, 0, 3, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 1]
        #expect(try pixels(BMPBytes.file(full, colors)) == [red, red, blue, green, red])
    }

    @Test("runs of 4 and 8 bits may come with fewer bits a pixel, which tell the length of the palette")
    func runsOfFewerBits() throws {
        let twoColors = Array(BMPBytes.fourColors.prefix(8))
        for (compression, run) in [(1, [3, 1] as [UInt8]), (2, [3, 0x11])] {
            let header = BMPBytes.header(3, 1, bits: 1, compression: compression)
            let data = BMPBytes.file(header, twoColors, run + [0, 1], offset: 0)
            #expect(try pixels(data) == [BMPBytes.red, BMPBytes.red, BMPBytes.red], "\(compression)")
        }
    }

    @Test("the padding of the last row and the mark for the end of runs may be missing")
    func missingEnd() throws {
        #expect(try pixels(BMPBytes.file(BMPBytes.header(1, 1, bits: 24), [0, 0, 255])) == [BMPBytes.red])
        let header = BMPBytes.header(2, 1, bits: 8, compression: 1, colors: 4)
        let data = BMPBytes.file(header, BMPBytes.fourColors, [2, 1])
        #expect(try pixels(data) == [BMPBytes.red, BMPBytes.red])
    }

    @Test("an embedded profile and calibrated colours are handed out, and those of sRGB are none")
    func color() throws {
        let profile = ICCProfileBytes.version2("Display P3")
        let bitmap = try TestImages.photo(3, 2)
        let options = EncodeOptions(colorProfile: .icc(profile))
        let embedded = try decode(try BMPEncoder().encode(bitmap, options: options))
        #expect(embedded.colorProfile == .icc(profile))
        #expect(embedded.info.colorSpace == .icc(description: "Display P3"))

        func calibrated(_ endpoints: [Double], _ gamma: Double) throws -> ColorProfile? {
            let numbers = endpoints.map { Int($0 * Double(1 << 30)) } + [Int](repeating: Int(gamma * 65_536), count: 3)
            let further = [UInt8](repeating: 0, count: 20) + numbers.flatMap { BMPBytes.number($0) }
            let header = BMPBytes.header(1, 1, bits: 24, byteCount: 108, further: further)
            return try decode(BMPBytes.file(header, [0, 0, 255, 0])).colorProfile
        }
        let sRGB = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]
        let adobe = [0.64, 0.33, 0.03, 0.21, 0.71, 0.08, 0.15, 0.06, 0.79]
        #expect(try calibrated(sRGB, 2.2) == nil)
        #expect(try calibrated(sRGB, 1 / 2.2) == nil)
        #expect(try calibrated([Double](repeating: 0, count: 9), 0) == nil)
        #expect(try calibrated(adobe, 0) == nil)
        guard case .icc(let data) = try calibrated(adobe, 2.2) else {
            Issue.record("there is no profile")
            return
        }
        #expect(data.count > 128)
        #expect(data.dropFirst(36).starts(with: Array("acsp".utf8)))
        #expect(try calibrated(adobe, 1 / 2.2) != nil)
        #expect(try calibrated(sRGB, 1.8) != nil)
    }

    @Test("what is not supported says so", arguments: [(4, 0), (5, 0), (11, 32), (13, 4), (9, 8), (0, 64)])
    func unsupported(compression: Int, bits: Int) throws {
        let data = BMPBytes.file(BMPBytes.header(1, 1, bits: bits, compression: compression), [0, 0, 0, 0, 0, 0, 0, 0])
        #expect {
            try decode(data)
        } throws: { error in
            if case CodecError.unsupported(.bmp, _) = error { true } else { false }
        }
    }
}
