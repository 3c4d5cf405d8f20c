import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs
@testable import HalcyonHEIC

@Suite("HEIC files whose parts do not fit together")
struct HEICGeometryTests {
    private func decode(_ file: HEIFFixture) throws -> DecodedImage {
        try HEICDecoder().decode(file.data, options: DecodeOptions(), isCancelled: { false })
    }

    /// A grid, item 9, of tiles of 64 × 64 pixels.
    private func grid(_ columns: Int, _ rows: Int, _ width: Int, _ height: Int) throws -> HEIFFixture {
        let item = HEIFFixture.Item(
            identifier: 9,
            type: "grid",
            content: HEIFFixture.grid(columns, rows, width, height),
            properties: [HEIFFixture.size(width, height)]
        )
        let count = columns * rows
        return HEIFFixture(
            items: try (1..<count + 1).map { try HEIFFixture.tile($0, isHidden: true) } + [item],
            references: [("dimg", 9, Array(1..<count + 1))],
            primary: 9
        )
    }

    private func tile() throws -> Bitmap {
        try decode(HEIFFixture(items: [HEIFFixture.tile(1)], references: [], primary: 1)).bitmap
    }

    @Test("tiles that fit are put together, and cut off at the border", arguments: [(2, 1, 128, 64), (2, 2, 70, 65)])
    func fitting(_ columns: Int, _ rows: Int, _ width: Int, _ height: Int) throws {
        let image = try decode(grid(columns, rows, width, height))
        let tile = try tile()
        let expected = try TestImages.bitmap(width, height) { x, y in
            let pixel = tile[x % 64, y % 64]
            return (Int(pixel[0]), Int(pixel[1]), Int(pixel[2]), 255)
        }
        // Colours are made of all four quarters of a pixel's place, also across tiles.
        #expect(try #require(image.bitmap.greatestDifference(from: expected)) < 40)
        #expect(image.bitmap[10, 10] == tile[10, 10])
    }

    @Test("a clean aperture is cut out around its centre")
    func cleanAperture() throws {
        // From column 10 and row 6 on.
        let fractions = [(30, 1), (20, 1), (20 + 30 - 64, 2), (12 + 20 - 64, 2)]
        let aperture = fractions.flatMap { HEIFFixture.number($0.0, 4) + HEIFFixture.number($0.1, 4) }
        var item = try HEIFFixture.tile(1)
        item.properties.append(HEIFFixture.box("clap", aperture))
        let image = try decode(HEIFFixture(items: [item], references: [], primary: 1))
        let expected = try tile().cropped(to: PixelRect(x: 10, y: 6, width: 30, height: 20))
        #expect(image.info.size == expected.size)
        #expect(try #require(image.bitmap.greatestDifference(from: expected)) < 40)
        #expect(image.bitmap[5, 5] == expected[5, 5])
    }

    @Test("a tile named more than once is drawn in each of its places")
    func repeatedTile() throws {
        var file = try grid(2, 2, 120, 100)
        file.items.removeSubrange(1..<4)
        file.references[0].to = [1, 1, 1, 1]
        let image = try decode(file)
        let tile = try tile()
        let expected = try TestImages.bitmap(120, 100) { x, y in
            let pixel = tile[x % 64, y % 64]
            return (Int(pixel[0]), Int(pixel[1]), Int(pixel[2]), 255)
        }
        #expect(firstDifference(image.bitmap.premultipliedBytes(), expected.premultipliedBytes()) == nil)
    }

    @Test("too few or too many tiles for a grid are damage", arguments: [1, 2, 3, 5])
    func tileCount(_ count: Int) throws {
        var file = try grid(5, 1, 300, 60)
        file.references[0].to = Array(1..<count + 1)
        file.items[5].content = HEIFFixture.grid(2, 2, 128, 128)
        file.items[5].properties = [HEIFFixture.size(128, 128)]
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test(
        "tiles that leave some of the image empty, or lie outside of it, are damage",
        arguments: [(129, 64), (128, 65), (64, 64), (0, 64), (60_000, 64)]
    )
    func coverage(_ width: Int, _ height: Int) throws {
        var file = try grid(2, 1, 128, 64)
        file.items[2].content = HEIFFixture.grid(2, 1, width, height)
        file.items[2].properties = [HEIFFixture.size(width, height)]
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test("a grid of another size than the file states is damage", arguments: [(127, 64), (128, 63), (20, 20)])
    func statedSize(_ width: Int, _ height: Int) throws {
        var file = try grid(2, 1, 128, 64)
        file.items[2].properties = [HEIFFixture.size(width, height)]
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test(
        "tiles stated with other sizes than they are coded with are damage",
        arguments: [(128, 64), (32, 32), (64, 63)]
    )
    func tileSize(_ width: Int, _ height: Int) throws {
        for tiles in [[0], [1], [0, 1]] {
            var file = try grid(2, 1, 128, 64)
            for tile in tiles {
                file.items[tile] = try HEIFFixture.tile(tile + 1, stated: HEIFFixture.size(width, height))
            }
            #expect(throws: CodecError.self, "\(tiles)") { try decode(file) }
        }
    }

    @Test("grey tiles beside coloured ones are damage", arguments: [0, 1])
    func tileChroma(_ gray: Int) throws {
        var file = try grid(2, 1, 128, 64)
        file.items[gray] = try HEIFFixture.grayTile(gray + 1)
        let refused = CodecError.corrupt(
            .heic,
            reason: "tiles that differ from each other or from what is said of them"
        )
        #expect(throws: refused) { try decode(file) }
    }

    @Test(
        "tiles that are turned, cropped, or not there, are refused",
        arguments: ["irot", "imir", "clap", "none", "grid"]
    )
    func tileKind(_ kind: String) throws {
        var file = try grid(2, 1, 128, 64)
        switch kind {
        case "irot", "imir": file.items[1].properties.append(HEIFFixture.box(kind, [1]))
        case "clap":
            let numbers = [32, 1, 32, 1, 0, 1, 0, 1].flatMap { HEIFFixture.number($0, 4) }
            file.items[1].properties.append(HEIFFixture.box("clap", numbers))
        case "grid": file.references[0].to = [1, 9]
        default: file.references[0].to = [1, 7]
        }
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test("a tile with alpha of its own is refused")
    func tileAlpha() throws {
        var file = try grid(2, 1, 128, 64)
        file.items.append(try HEIFFixture.grayTile(10, isAlpha: true))
        file.references.append(("auxl", 10, [2]))
        #expect(
            throws: CodecError.unsupported(.heic, reason: "tiles that are turned, cropped or have alpha of their own")
        ) {
            try decode(file)
        }
    }

    @Test("what describes a grid and ends too early, or is of another version, is damage")
    func descriptions() throws {
        let whole = HEIFFixture.grid(2, 1, 128, 64)
        for content in [
            Array(whole.dropLast()), Array(whole.prefix(3)), [], [1] + whole.dropFirst(), [0, 1] + whole.dropFirst(2),
        ] {
            var file = try grid(2, 1, 128, 64)
            file.items[2].content = content
            #expect(throws: CodecError.self, "\(content)") { try decode(file) }
        }
    }

    @Test("alpha of the same size is used, any other is damage", arguments: [64, 63, 32, 128, 1_024])
    func alphaSize(_ side: Int) throws {
        let alpha = try HEIFFixture.grayTile(2, isAlpha: true, stated: HEIFFixture.size(side, side))
        let file = HEIFFixture(items: [try HEIFFixture.tile(1), alpha], references: [("auxl", 2, [1])], primary: 1)
        if side == 64 {
            let image = try decode(file)
            #expect(image.info.hasAlpha && image.bitmap[4, 4][3] == 0 && image.bitmap[60, 20][3] == 255)
        } else {
            #expect(throws: CodecError.corrupt(.heic, reason: "an image and its alpha are not equally large")) {
                try decode(file)
            }
        }
    }

    @Test("alpha that is a grid of another size than its image is damage")
    func gridAlpha() throws {
        for (width, height, isDamaged) in [(64, 64, false), (60, 64, true), (40, 40, true)] {
            let grid = HEIFFixture.Item(
                identifier: 3,
                type: "grid",
                content: HEIFFixture.grid(1, 1, width, height),
                properties: [HEIFFixture.size(width, height), HEIFFixture.alphaType],
                isHidden: true
            )
            let items = [try HEIFFixture.tile(1), try HEIFFixture.grayTile(2), grid]
            let file = HEIFFixture(items: items, references: [("dimg", 3, [2]), ("auxl", 3, [1])], primary: 1)
            if isDamaged {
                #expect(throws: CodecError.corrupt(.heic, reason: "an image and its alpha are not equally large")) {
                    try decode(file)
                }
            } else {
                #expect(try decode(file).info.hasAlpha)
            }
        }
    }
}
