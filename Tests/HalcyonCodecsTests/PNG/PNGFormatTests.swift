import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("PNG decoder, what the format can say")
struct PNGFormatTests {
    private func decode(_ chunks: [[UInt8]], frame: Int = 0) throws -> DecodedImage {
        try PNGDecoder().decode(
            PNGBytes.file(chunks),
            options: DecodeOptions(frame: frame),
            isCancelled: { false }
        )
    }

    private func pixels(_ header: [UInt8], _ extras: [[UInt8]] = [], rows: [UInt8]) throws -> [UInt8] {
        let chunks = [header] + extras + [PNGBytes.chunk("IDAT", PNGBytes.stored(rows)), PNGBytes.end]
        return try decode(chunks).bitmap.premultipliedBytes()
    }

    @Test("of tRNS, the bits that samples have count", arguments: [1, 2, 4, 8] as [UInt8])
    func transparentSample(depth: UInt8) throws {
        let sample = UInt8((1 << Int(depth)) - 1)
        // Grey, and a colour, which has 8 bits at least.
        var colors: [(type: UInt8, key: [UInt8])] = [(0, [0xAB, 0xF0 | sample])]
        if depth == 8 { colors.append((2, [1, 255, 2, 255, 3, 255])) }
        for (type, key) in colors {
            let row = [0] + [UInt8](repeating: 255, count: type == 2 ? 3 : 1)
            let file = PNGBytes.file([
                PNGBytes.header(1, 1, depth: depth, colorType: type), PNGBytes.chunk("tRNS", key),
                PNGBytes.chunk("IDAT", PNGBytes.stored(row)), PNGBytes.end,
            ])
            let image = try PNGDecoder().decode(file, options: DecodeOptions(), isCancelled: { false })
            #expect(image.bitmap[0, 0] == [0, 0, 0, 0])
            let decoder = IncrementalDecoder()
            try decoder.append(file)
            decoder.end()
            while try decoder.advance() {}
            #expect(try decoder.image()?.bitmap[0, 0] == [0, 0, 0, 0])
        }
    }

    @Test("samples of 16 bits become 8 by their high byte")
    func sixteenBits() throws {
        let header = PNGBytes.header(2, 1, depth: 16, colorType: 2)
        let rows: [UInt8] = [0, 0x12, 0xFF, 0x34, 0x00, 0x56, 0x80, 1, 2, 3, 4, 5, 6]
        #expect(try pixels(header, rows: rows) == [0x12, 0x34, 0x56, 255, 1, 3, 5, 255])
    }

    @Test("a transparent colour of 16 bits is compared in all of them")
    func sixteenBitKey() throws {
        let header = PNGBytes.header(2, 1, depth: 16, colorType: 0)
        let key = PNGBytes.chunk("tRNS", [0x12, 0x34])
        #expect(try pixels(header, [key], rows: [0, 0x12, 0x34, 0x12, 0x35]) == [0, 0, 0, 0, 0x12, 0x12, 0x12, 255])
    }

    @Test("palettes and shades of 1, 2 and 4 bits are unpacked from the highest bit on, beyond whole bytes")
    func lowDepths() throws {
        let palette = PNGBytes.chunk("PLTE", [10, 20, 30, 40, 50, 60])
        let alpha = PNGBytes.chunk("tRNS", [128])
        #expect(
            try pixels(PNGBytes.header(3, 1, depth: 1, colorType: 3), [palette, alpha], rows: [0, 0b0100_0000])
                == [5, 10, 15, 128, 40, 50, 60, 255, 5, 10, 15, 128]
        )
        #expect(
            try pixels(PNGBytes.header(2, 1, depth: 2, colorType: 0), rows: [0, 0b0111_0000])
                == [85, 85, 85, 255, 255, 255, 255, 255]
        )
        #expect(
            try pixels(PNGBytes.header(3, 1, depth: 4, colorType: 0), rows: [0, 0xF1, 0x20])
                == [255, 255, 255, 255, 17, 17, 17, 255, 34, 34, 34, 255]
        )
    }

    @Test("a tRNS of more colours than the palette has is passed over")
    func alphasBeyondPalette() throws {
        let palette = PNGBytes.chunk("PLTE", [10, 20, 30, 40, 50, 60])
        for (alphas, pixel) in [([128, 0], [5, 10, 15, 128]), ([128, 0, 0], [10, 20, 30, 255])] as [([UInt8], [UInt8])]
        {
            let extras = [palette, PNGBytes.chunk("tRNS", alphas)]
            #expect(try pixels(PNGBytes.header(1, 1, depth: 8, colorType: 3), extras, rows: [0, 0]) == pixel)
        }
    }

    @Test("an index beyond the palette is opaque black")
    func beyondPalette() throws {
        let palette = PNGBytes.chunk("PLTE", [10, 20, 30])
        #expect(
            try pixels(PNGBytes.header(2, 1, colorType: 3), [palette], rows: [0, 0, 200])
                == [10, 20, 30, 255, 0, 0, 0, 255]
        )
    }

    @Test(
        "a palette that is only suggested, to screens of few colours, may be wrong",
        arguments: [[], [1, 2, 3, 4], [1, 2, 3]]
    )
    func suggestedPalette(_ bytes: [UInt8]) throws {
        let palette = PNGBytes.chunk("PLTE", bytes)
        #expect(
            try pixels(PNGBytes.header(1, 1, colorType: 2), [palette, palette], rows: [0, 1, 2, 3]) == [1, 2, 3, 255]
        )
    }

    @Test("data in several chunks, empty ones among them, are one stream")
    func severalChunks() throws {
        let stream = PNGBytes.stored([0, 1, 2, 3])
        let pieces = [stream[..<1], stream[1..<1], stream[1..<9], stream[9...]]
        let chunks = [PNGBytes.header(1, 1, colorType: 2)] + pieces.map { PNGBytes.chunk("IDAT", Array($0)) }
        #expect(try decode(chunks + [PNGBytes.end]).bitmap.premultipliedBytes() == [1, 2, 3, 255])
    }

    @Test(
        "every filter undoes what it did, at every distance, for widths around the steps of four pixels",
        arguments: [(0, 8), (2, 8), (4, 8), (6, 8), (2, 16), (6, 16)],
        [1, 3, 4, 7, 13]
    )
    func filters(_ type: (color: Int, depth: Int), width: Int) throws {
        // The same samples, stored plainly and with each filter in turn, must give the same pixels.
        let channels = [0: 1, 2: 3, 4: 2, 6: 4][type.color, default: 1]
        let distance = channels * type.depth / 8
        let height = 11
        var random = SeededRandom(seed: 3)
        let rows = (0..<height).map { _ in (0..<width * distance).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        let header = PNGBytes.header(width, height, depth: UInt8(type.depth), colorType: UInt8(type.color))
        let plain = try pixels(header, rows: rows.flatMap { [0] + $0 })
        for types in [[1], [2], [3], [4], [4, 4, 1], [1, 2, 3, 4, 0], [3, 4]] {
            var stored: [UInt8] = []
            for y in 0..<height {
                let type = types[y % types.count]
                stored.append(UInt8(type))
                stored += filtered(rows[y], above: y == 0 ? nil : rows[y - 1], type, distance)
            }
            #expect(try pixels(header, rows: stored) == plain, "filters \(types)")
        }
    }

    /// PNG, 9.2, word by word.
    private func filtered(_ row: [UInt8], above: [UInt8]?, _ type: Int, _ distance: Int) -> [UInt8] {
        row.indices.map { index in
            let left = index < distance ? 0 : Int(row[index - distance])
            let up = Int(above?[index] ?? 0)
            let corner = index < distance ? 0 : Int(above?[index - distance] ?? 0)
            let estimate = left + up - corner
            let nearest = [left, up, corner].min { abs(estimate - $0) < abs(estimate - $1) } ?? 0
            let prediction = [0, left, up, (left + up) / 2, nearest][type]
            return UInt8(truncatingIfNeeded: Int(row[index]) - prediction)
        }
    }

    @Test("the header tells depth, alpha, colour space and orientation")
    func info() throws {
        // A little-endian TIFF directory with the one tag 274 = 6.
        let exif: [UInt8] = [73, 73, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
        let profile = Array("Wide\0\0".utf8) + PNGBytes.stored([UInt8](TestProfile.gray(curve: TestProfile.gamma(1.8))))
        let image = try decode([
            PNGBytes.header(2, 1, depth: 16, colorType: 0),
            PNGBytes.chunk("iCCP", profile),
            PNGBytes.chunk("tRNS", [0, 1]),
            PNGBytes.chunk("eXIf", exif),
            PNGBytes.chunk("IDAT", PNGBytes.stored([0, 10, 0, 20, 0])),
            PNGBytes.end,
        ])
        #expect(image.info.bitDepth == 16)
        #expect(image.info.hasAlpha)
        #expect(image.info.colorSpace == .icc(description: "Wide"))
        #expect(image.info.orientation == .right)
        #expect(image.info.size == PixelSize(2, 1))
        #expect(image.info.loopCount == nil)
        #expect(image.size == PixelSize(1, 2))
        #expect(image.bitmap.premultipliedBytes() == [10, 10, 10, 255, 20, 20, 20, 255])
    }

    @Test("the image turned by its orientation is turned once, all eight ways", arguments: Orientation.allCases)
    func orientation(_ orientation: Orientation) throws {
        let exif: [UInt8] = [
            77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0,
            0, 0,
        ]
        let image = try decode([
            PNGBytes.header(3, 2, colorType: 0), PNGBytes.chunk("eXIf", exif),
            PNGBytes.chunk("IDAT", PNGBytes.stored([0, 1, 2, 3, 0, 4, 5, 6])), PNGBytes.end,
        ])
        let shades = stride(from: 0, to: 24, by: 4).map { image.bitmap.premultipliedBytes()[$0] }
        let expected: [UInt8] =
            switch orientation {
            case .up: [1, 2, 3, 4, 5, 6]
            case .upMirrored: [3, 2, 1, 6, 5, 4]
            case .down: [6, 5, 4, 3, 2, 1]
            case .downMirrored: [4, 5, 6, 1, 2, 3]
            case .leftMirrored: [1, 4, 2, 5, 3, 6]
            case .right: [4, 1, 5, 2, 6, 3]
            case .rightMirrored: [6, 3, 5, 2, 4, 1]
            case .left: [3, 6, 2, 5, 1, 4]
            }
        #expect(shades == expected)
        #expect(image.size == image.info.displaySize)
    }

    @Test("Apple's variant has a bare stream of premultiplied BGRA")
    func appleVariant() throws {
        let bare = Array(PNGBytes.stored([0, 30, 20, 10, 100, 3, 2, 1, 255]).dropFirst(2).dropLast(4))
        let image = try decode([
            PNGBytes.chunk("CgBI", [0x50, 0, 0x20, 2]), PNGBytes.header(2, 1, colorType: 6),
            PNGBytes.chunk("IDAT", bare), PNGBytes.end,
        ])
        #expect(image.bitmap.premultipliedBytes() == [10, 20, 30, 100, 1, 2, 3, 255])
    }

    @Test("colours of Apple's variant do not lie above their alpha")
    func appleVariantAboveAlpha() throws {
        let bare = Array(PNGBytes.stored([0, 30, 200, 255, 100, 1, 2, 3, 0]).dropFirst(2).dropLast(4))
        let image = try decode([
            PNGBytes.chunk("CgBI", [0x50, 0, 0x20, 2]), PNGBytes.header(2, 1, colorType: 6),
            PNGBytes.chunk("IDAT", bare), PNGBytes.end,
        ])
        #expect(image.bitmap.premultipliedBytes() == [100, 100, 30, 100, 0, 0, 0, 0])
    }
}
