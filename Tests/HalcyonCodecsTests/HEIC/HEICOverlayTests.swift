import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs
@testable import HalcyonHEIC

@Suite("Overlays in HEIC files")
struct HEICOverlayTests {
    private func decode(_ file: HEIFFixture) throws -> DecodedImage {
        try HEICDecoder().decode(file.data, options: DecodeOptions(), isCancelled: { false })
    }

    /// An overlay, item 9, of the same tile as often as there are places.
    private func overlay(
        _ width: Int,
        _ height: Int,
        background: [Int] = [0xffff, 0, 0, 0xffff],
        _ places: [(x: Int, y: Int)],
        properties: [[UInt8]] = []
    ) throws -> HEIFFixture {
        let content = HEIFFixture.overlay(width, height, background: background, places)
        let item = HEIFFixture.Item(
            identifier: 9,
            type: "iovl",
            content: content,
            properties: [HEIFFixture.size(width, height)] + properties
        )
        return HEIFFixture(
            items: try places.indices.map { try HEIFFixture.tile($0 + 1, isHidden: true) } + [item],
            references: [("dimg", 9, Array(1..<places.count + 1))],
            primary: 9
        )
    }

    private func tile() throws -> Bitmap {
        try decode(HEIFFixture(items: [HEIFFixture.tile(1)], references: [], primary: 1)).bitmap
    }

    /// Returns the expected image, pixel by pixel.
    private func expected(
        _ width: Int,
        _ height: Int,
        background: [UInt8] = [255, 0, 0, 255],
        _ places: [(x: Int, y: Int)]
    ) throws -> Bitmap {
        let tile = try tile()
        return try TestImages.bitmap(width, height) { x, y in
            let place = places.last { 0..<64 ~= x - $0.x && 0..<64 ~= y - $0.y }
            let pixel = place.map { tile[x - $0.x, y - $0.y] } ?? background
            return (Int(pixel[0]), Int(pixel[1]), Int(pixel[2]), Int(pixel[3]))
        }
    }

    @Test(
        "parts lie where the file says, and what reaches over the border is left out",
        arguments: [
            [(10, 20)], [(-30, -40)], [(90, 70)], [(-30, 70), (60, -10)], [(200, 0)], [(0, -64)], [(-32_768, 32_767)],
            [(0, 0), (20, 10)],
        ]
    )
    func places(_ places: [(Int, Int)]) throws {
        let places = places.map { (x: $0.0, y: $0.1) }
        let image = try decode(overlay(100, 80, places))
        #expect(
            firstDifference(image.bitmap.premultipliedBytes(), try expected(100, 80, places).premultipliedBytes())
                == nil
        )
        #expect(image.info.size == PixelSize(100, 80) && image.bitmap.isOpaque)
    }

    @Test("the background has the alpha that the file says, and its colour is multiplied by it")
    func transparentBackground() throws {
        let image = try decode(overlay(70, 70, background: [0xffff, 0x8000, 0, 0x8080], [(0, 0)]))
        #expect(image.bitmap[69, 69] == [128, 64, 0, 128] && image.bitmap[3, 3][3] == 255)
        #expect(!image.bitmap.isOpaque)
    }

    @Test("a part named twice is drawn twice, whether it is shown on its own or not", arguments: [true, false])
    func repeatedPart(_ isHidden: Bool) throws {
        let places = [(x: -20, y: -30), (x: 40, y: 10)]
        var file = try overlay(100, 80, places)
        file.items.remove(at: 1)
        file.items[0].isHidden = isHidden
        file.references = [("dimg", 9, [1, 1])]
        let image = try decode(file)
        #expect(
            firstDifference(image.bitmap.premultipliedBytes(), try expected(100, 80, places).premultipliedBytes())
                == nil
        )
        #expect(image.info.frameCount == (isHidden ? 1 : 2))
    }

    @Test("an overlay is turned and mirrored as it says")
    func orientation() throws {
        let turns = [HEIFFixture.box("irot", [1]), HEIFFixture.box("imir", [1])]
        let image = try decode(overlay(100, 80, [(-30, -40)], properties: turns))
        let upright = try expected(100, 80, [(-30, -40)]).oriented(.rightMirrored)
        #expect(image.info.size == PixelSize(80, 100))
        #expect(firstDifference(image.bitmap.premultipliedBytes(), upright.premultipliedBytes()) == nil)
    }

    @Test("cancelling ends work between parts")
    func cancellation() throws {
        let file = try overlay(100, 80, [(0, 0), (1, 1), (2, 2)])
        for count in 1...4 {
            let questions = QuestionCounter(cancelledFrom: count)
            #expect(throws: CancellationError.self) {
                try HEICDecoder().decode(file.data, options: DecodeOptions(), isCancelled: { questions.ask() })
            }
            #expect(questions.count == count)
        }
    }

    @Test("descriptions of overlays that end too early or are of another version are damage")
    func descriptions() throws {
        let file = try overlay(100, 80, [(0, 0), (1, 1)])
        let whole = try #require(file.items.last).content
        for content in [Array(whole.dropLast()), Array(whole.prefix(9)), [], [1] + whole.dropFirst()] {
            var damaged = file
            damaged.items[2].content = content
            #expect(throws: CodecError.self, "\(content.count)") { try decode(damaged) }
        }
    }

    @Test(
        "a canvas that is empty, or not as large as the file states, is damage",
        arguments: [(0, 80), (100, 81), (99, 80)]
    )
    func canvas(_ width: Int, _ height: Int) throws {
        var file = try overlay(100, 80, [(0, 0)])
        file.items[1].content = HEIFFixture.overlay(width, height, [(0, 0)])
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test("limits hold for the canvas, whatever the parts are")
    func limits() throws {
        let file = try overlay(60_000, 60_000, [(0, 0)])
        #expect(throws: CodecError.self) { try decode(file) }
        let small = try overlay(100, 80, [(0, 0)])
        let limits = DecodeLimits(pixelCount: 7_999)
        #expect(throws: CodecError.limitExceeded(.heic, .pixelCount(PixelSize(100, 80), maximum: 7_999))) {
            try HEICDecoder().decode(small.data, options: DecodeOptions(limits: limits), isCancelled: { false })
        }
    }

    @Test(
        "an overlay as a tile, as an alpha, or as what another image is, is not handed to libheif",
        arguments: 0..<3
    )
    func overlayInside(_ kind: Int) throws {
        var file = try overlay(64, 64, [(-30, -40)])
        switch kind {
        case 0:
            let grid = HEIFFixture.grid(1, 1, 64, 64)
            file.items.append(
                .init(identifier: 10, type: "grid", content: grid, properties: [HEIFFixture.size(64, 64)])
            )
            file.references.append(("dimg", 10, [9]))
            file.primary = 10
        case 1:
            file.items.append(try HEIFFixture.tile(10))
            file.items[1].properties.append(HEIFFixture.alphaType)
            file.references.append(("auxl", 9, [10]))
            file.primary = 10
        default:
            file.items.append(.init(identifier: 10, type: "iden", content: [], properties: [HEIFFixture.size(64, 64)]))
            file.references.append(("dimg", 10, [9]))
            file.primary = 10
        }
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test("overlays inside of overlays that take far more drawing than pixels may have are damage", arguments: [1, 2])
    func muchDrawing(_ depth: Int) throws {
        // Each as large as the limit, of the one before it; the last names that as often as libheif lets an overlay name
        // images.
        var file = try overlay(100, 80, [(0, 0)])
        for identifier in 10...10 + depth {
            let count = identifier == 10 + depth ? 5 : 1
            let content = HEIFFixture.overlay(8_000, 8_000, Array(repeating: (x: 0, y: 0), count: count))
            let size = HEIFFixture.size(8_000, 8_000)
            file.items.append(.init(identifier: identifier, type: "iovl", content: content, properties: [size]))
            file.references.append(("dimg", identifier, Array(repeating: identifier - 1, count: count)))
            file.primary = identifier
        }
        #expect(throws: CodecError.corrupt(.heic, reason: "its overlays have far more pixels than it has")) {
            let options = DecodeOptions(limits: DecodeLimits(pixelCount: 64_000_000))
            return try HEICDecoder().decode(file.data, options: options, isCancelled: { false })
        }
    }

    @Test("the canvases of overlays inside of overlays count together")
    func nestedMemory() throws {
        var file = try overlay(1_000, 1_000, [(0, 0)])
        let content = HEIFFixture.overlay(1_000, 1_000, [(0, 0)])
        let size = HEIFFixture.size(1_000, 1_000)
        file.items.append(.init(identifier: 10, type: "iovl", content: content, properties: [size]))
        file.references.append(("dimg", 10, [9]))
        file.primary = 10
        func decode(memory: Int) throws -> DecodedImage {
            let options = DecodeOptions(limits: DecodeLimits(memory: memory))
            return try HEICDecoder().decode(file.data, options: options, isCancelled: { false })
        }
        // What libheif would take for each, and one canvas more.
        #expect(throws: CodecError.self) { try decode(memory: 16_000_000) }
        _ = try decode(memory: 20_000_000)
    }

    @Test("an overlay of an overlay is drawn, one of itself is damage")
    func nested() throws {
        var file = try overlay(100, 80, [(-30, -40)])
        let content = HEIFFixture.overlay(120, 90, background: [0, 0, 0xffff, 0xffff], [(-10, 20)])
        file.items.append(
            .init(identifier: 10, type: "iovl", content: content, properties: [HEIFFixture.size(120, 90)])
        )
        file.references.append(("dimg", 10, [9]))
        file.primary = 10
        let image = try decode(file)
        let inner = try expected(100, 80, [(-30, -40)])
        #expect(image.bitmap[0, 0] == [0, 0, 255, 255] && image.bitmap[0, 25] == inner[10, 5])
        #expect(image.bitmap[89, 89] == inner[99, 69] && image.bitmap[90, 89] == [0, 0, 255, 255])
        file.references[1].to = [10]
        #expect(throws: CodecError.self) { try decode(file) }
    }
}
