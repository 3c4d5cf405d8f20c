import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("Grids in AVIF files")
struct AVIFGridTests {
    private func decode(_ file: HEIFFixture) throws -> DecodedImage {
        try AVIFDecoder().decode(file.data, options: DecodeOptions(), isCancelled: { false })
    }

    private func tile(_ identifier: Int, _ size: PixelSize = PixelSize(64, 64), isGray: Bool = false) throws
        -> HEIFFixture.Item
    {
        let encoder = AVIFEncoder(speed: 10, chromaSampling: isGray ? .yuv420 : .yuv444)
        let file = try encoder.encode(.sample(size), options: EncodeOptions(quality: 100))
        return HEIFFixture.Item(
            identifier: identifier,
            type: "av01",
            content: try HEIFFixture.box("mdat", of: file).payload,
            properties: [try HEIFFixture.box("av1C", of: file).box, HEIFFixture.size(size.width, size.height)],
            isHidden: true
        )
    }

    /// A grid, item 9, of two tiles beside each other.
    private func grid(_ width: Int = 128, _ height: Int = 64, columns: Int = 2, rows: Int = 1) throws -> HEIFFixture {
        let item = HEIFFixture.Item(
            identifier: 9,
            type: "grid",
            content: HEIFFixture.grid(columns, rows, width, height),
            properties: [
                HEIFFixture.size(width, height), HEIFFixture.fullBox("pixi", [3, 8, 8, 8]),
            ]
        )
        return HEIFFixture(
            brand: "avif",
            items: [try tile(1), try tile(2), item],
            references: [("dimg", 9, [1, 2])],
            primary: 9
        )
    }

    @Test("tiles that fit are put together")
    func fitting() throws {
        let image = try decode(grid())
        let sample = try Bitmap.sample(PixelSize(64, 64))
        for (x, y) in [(5, 7), (60, 60), (70, 10), (127, 63)] {
            let (pixel, expected) = (image.bitmap[x, y], sample[x % 64, y])
            #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) < 12 })
        }
        #expect(image.size == PixelSize(128, 64))
    }

    @Test(
        "grids that their tiles do not fill, or that have another number of them, are refused",
        arguments: [
            (129, 64, 2, 1), (128, 65, 2, 1), (128, 64, 1, 1), (128, 64, 3, 1), (64, 64, 2, 1), (128, 128, 2, 2),
        ]
    )
    func coverage(_ width: Int, _ height: Int, _ columns: Int, _ rows: Int) throws {
        #expect(throws: CodecError.self) { try decode(grid(width, height, columns: columns, rows: rows)) }
    }

    @Test("tiles of different sizes, or of different sampling, are refused")
    func differentTiles() throws {
        for other in [try tile(2, PixelSize(64, 48)), try tile(2, PixelSize(96, 64)), try tile(2, isGray: true)] {
            var file = try grid()
            file.items[1] = other
            #expect(throws: CodecError.self) { try decode(file) }
        }
    }

    @Test(
        "tiles stated with other sizes than they are coded with end in an image of the size stated, or an error",
        arguments: [(32, 32), (128, 64), (64, 63), (1_024, 1_024)]
    )
    func statedTiles(_ width: Int, _ height: Int) throws {
        for tiles in [[0], [1], [0, 1]] {
            var file = try grid()
            for tile in tiles { file.items[tile].properties[1] = HEIFFixture.size(width, height) }
            do {
                #expect(try decode(file).size == PixelSize(128, 64))
            } catch {
                #expect(error is CodecError, "\(error)")
            }
        }
    }

    @Test("a grid stated with another size, with tiles that are not there, or with itself as a tile, is refused")
    func references() throws {
        for parts in [[1, 7], [1, 9], [1], []] {
            var file = try grid()
            file.references = parts.isEmpty ? [] : [("dimg", 9, parts)]
            #expect(throws: CodecError.self, "\(parts)") { try decode(file) }
        }
    }

    @Test("what describes a grid and ends too early, or is of another version, is damage")
    func descriptions() throws {
        let whole = HEIFFixture.grid(2, 1, 128, 64)
        for content in [Array(whole.dropLast()), Array(whole.prefix(3)), [1] + whole.dropFirst()] {
            var file = try grid()
            file.items[2].content = content
            #expect(throws: CodecError.self, "\(content)") { try decode(file) }
        }
    }

    @Test(
        "the alpha of a grid may be an image of its own, of any size",
        arguments: [PixelSize(64, 64), PixelSize(128, 64), PixelSize(256, 128)]
    )
    func alpha(size: PixelSize) throws {
        var file = try grid()
        var alpha = try tile(10, size, isGray: true)
        alpha.properties.append(
            HEIFFixture.fullBox("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0])
        )
        file.items.append(alpha)
        file.references.append(("auxl", 10, [9]))
        let image = try decode(file)
        #expect(image.size == PixelSize(128, 64) && image.info.hasAlpha)
        #expect(!image.bitmap.isOpaque)
    }
}
