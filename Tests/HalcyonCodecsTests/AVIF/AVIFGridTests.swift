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
        let encoder = QuickAVIFEncoder(chromaSampling: isGray ? .yuv420 : .yuv444)
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

    @Test("tiles stand in the order of the references, whatever the order of their items", arguments: [false, true])
    func order(hasAlpha: Bool) throws {
        var file = try grid()
        var red = try Bitmap(size: PixelSize(64, 64))
        red.fill(PixelRect(size: red.size), with: Color(red: 0.8, green: 0.16, blue: 0.16))
        red.isOpaque = true
        let left = try QuickAVIFEncoder(chromaSampling: .yuv444).encode(red, options: EncodeOptions(quality: 100))
        file.items[1].content = try HEIFFixture.box("mdat", of: left).payload
        file.references[0] = ("dimg", 9, [2, 1])
        if hasAlpha {
            for (number, tile) in [(11, 1), (12, 2)] {
                var alpha = try self.tile(number, isGray: true)
                alpha.properties.append(Self.alphaType)
                file.items.append(alpha)
                file.references.append(("auxl", number, [tile]))
            }
        }
        let bitmap = try decode(file).bitmap
        let sample = try Bitmap.sample(PixelSize(64, 64))
        if !hasAlpha {
            #expect(zip(bitmap[10, 10], [204, 41, 41]).allSatisfy { abs(Int($0) - $1) < 12 })
            #expect(zip(bitmap[74, 10], sample[10, 10]).allSatisfy { abs(Int($0) - Int($1)) < 12 })
        } else {
            #expect(Int(bitmap[10, 10][0]) > 2 * Int(bitmap[10, 10][1]))
        }
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

    private static let alphaType = HEIFFixture.fullBox(
        "auxC",
        Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0]
    )

    /// A tile of alpha, 255 in its left half, else 0.
    private func alphaTile(_ identifier: Int) throws -> HEIFFixture.Item {
        let size = PixelSize(64, 64)
        let bitmap = try TestImages.bitmap(64, 64) { x, _ in (x < 32 ? 255 : 0, x < 32 ? 255 : 0, x < 32 ? 255 : 0, 255)
        }
        let encoder = QuickAVIFEncoder(chromaSampling: .yuv444)
        let file = try encoder.encode(bitmap, options: EncodeOptions(quality: 100))
        return HEIFFixture.Item(
            identifier: identifier,
            type: "av01",
            content: try HEIFFixture.box("mdat", of: file).payload,
            properties: [
                try HEIFFixture.box("av1C", of: file).box, HEIFFixture.size(size.width, size.height), Self.alphaType,
            ],
            isHidden: true
        )
    }

    @Test("tiles may have alpha, each of its own")
    func alphaOfTiles() throws {
        let opaque = try decode(grid())
        #expect(opaque.bitmap.isOpaque && !opaque.info.hasAlpha)
        var file = try grid()
        file.items += [try alphaTile(11), try alphaTile(12)]
        file.references += [("auxl", 11, [1]), ("auxl", 12, [2])]
        let image = try decode(file)
        #expect(image.info.hasAlpha && !image.bitmap.isOpaque && image.size == PixelSize(128, 64))
        for (x, y) in [(5, 7), (20, 60), (70, 10), (90, 33)] {
            #expect(zip(image.bitmap[x, y], opaque.bitmap[x, y]).allSatisfy { abs(Int($0) - Int($1)) < 4 })
        }
        for (x, y) in [(40, 7), (60, 60), (100, 10), (127, 63)] {
            #expect(image.bitmap[x, y].allSatisfy { $0 < 4 })
        }
        #expect(try AVIFDecoder().info(of: file.data, limits: .standard) == image.info)
    }

    @Test("colours that a file has multiplied by alpha do not lie above it")
    func multipliedColors() throws {
        var item = try tile(1)
        item.isHidden = false
        let references = [("auxl", 11, [1]), ("prem", 1, [11])]
        let file = HEIFFixture(brand: "avif", items: [item, try alphaTile(11)], references: references, primary: 1)
        let bitmap = try decode(file).bitmap
        #expect(!bitmap.isOpaque && bitmap[5, 7][3] > 250 && bitmap[40, 7][3] < 4)
        for (x, y) in [(5, 7), (20, 60), (40, 7), (60, 60)] {
            let pixel = bitmap[x, y]
            #expect(pixel[..<3].allSatisfy { $0 <= pixel[3] })
        }
    }

    @Test("alpha of some tiles only is not shown as if there were none")
    func alphaOfSomeTiles() throws {
        var file = try grid()
        file.items.append(try alphaTile(11))
        file.references.append(("auxl", 11, [1]))
        do {
            // Newer versions of libavif may know what to do.
            #expect(try !decode(file).bitmap.isOpaque)
        } catch {
            #expect(error as? CodecError == .unsupported(.avif, reason: "its alpha"))
        }
    }

    @Test("the alpha of one coded image may be a grid")
    func gridOfAlpha() throws {
        var image = try tile(1, PixelSize(128, 64))
        image.isHidden = false
        let alpha = HEIFFixture.Item(
            identifier: 9,
            type: "grid",
            content: HEIFFixture.grid(2, 1, 128, 64),
            properties: [HEIFFixture.size(128, 64), Self.alphaType],
            isHidden: true
        )
        let file = HEIFFixture(
            brand: "avif",
            items: [image, alpha, try alphaTile(11), try alphaTile(12)],
            references: [("dimg", 9, [11, 12]), ("auxl", 9, [1])],
            primary: 1
        )
        do {
            let decoded = try decode(file)
            #expect(decoded.info.hasAlpha && !decoded.bitmap.isOpaque)
        } catch {
            #expect(error is CodecError)
        }
    }

    @Test(
        "the alpha of a grid may be an image of its own, of any size",
        arguments: [PixelSize(64, 64), PixelSize(128, 64), PixelSize(256, 128)]
    )
    func alpha(size: PixelSize) throws {
        var file = try grid()
        var alpha = try tile(10, size, isGray: true)
        alpha.properties.append(Self.alphaType)
        file.items.append(alpha)
        file.references.append(("auxl", 10, [9]))
        let image = try decode(file)
        #expect(image.size == PixelSize(128, 64) && image.info.hasAlpha)
        #expect(!image.bitmap.isOpaque)
    }
}
