import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

@Suite("SVG")
struct SVGDecoderTests {
    private let decoder = SVGDecoder()

    private func svg(_ attributes: String, _ content: String = "", before: String = "") -> Data {
        Data("\(before)<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func decode(
        _ data: Data,
        _ target: PixelSize? = nil,
        damage: DamageHandling = .showsWhatIsThere
    ) throws -> DecodedImage {
        try decoder.decode(data, options: DecodeOptions(targetSize: target, damage: damage), isCancelled: { false })
    }

    private func size(_ attributes: String) throws -> PixelSize {
        try decoder.info(of: svg(attributes), limits: .standard).size
    }

    private let halves =
        "<rect width='50%' height='100%' fill='#f00'/><rect x='50%' width='50%' height='50%' fill='#00f' fill-opacity='.5'/>"

    @Test("the root element states the size in any unit, or by its view box")
    func sizes() throws {
        #expect(try size("width='30' height='20'") == PixelSize(30, 20))
        #expect(try size("width='1in' height='2.54cm'") == PixelSize(96, 96))
        #expect(try size("width='25.4mm' height='72pt'") == PixelSize(96, 96))
        #expect(try size("width='6pc' height='6em'") == PixelSize(96, 96))
        #expect(try size("width='1e2px' height='+.5e2'") == PixelSize(100, 50))
        #expect(try size("width=' 10.2 ' height='9.9px'") == PixelSize(11, 10))
        #expect(try size("viewBox='0 0 40 30'") == PixelSize(40, 30))
        #expect(try size("viewBox='-5,-5 , 40,30' width='100%' height='50%'") == PixelSize(40, 15))
        #expect(try size("viewBox='0 0 40 30' width='80'") == PixelSize(80, 60))
        #expect(try size("viewBox='0 0 40 30' height='15'") == PixelSize(20, 15))
        #expect(try size("viewBox='0 0 40 30' width='0' height='-4'") == PixelSize(40, 30))
        #expect(try size("width='40'") == PixelSize(40, 150))
        #expect(try size("height='40' width='100%'") == PixelSize(300, 40))
        let style = "font: 9px &quot;A;B&quot;; width: 30px; height:20px"
        #expect(try size("style='\(style)' height='90'") == PixelSize(30, 20))
        #expect(try size("style='width: auto' width='30' height='20'") == PixelSize(30, 20))
        let responsive = "style='width:100%;height:auto' width='512' height='512' viewBox='0 0 24 24'"
        #expect(try size(responsive) == PixelSize(512, 512))
        #expect(try size("style='width:100' width='30' height='20'") == PixelSize(30, 20))
        #expect(try size("\n width = \"7\"\theight\r\n='8'") == PixelSize(7, 8))
    }

    @Test(
        "a paint that is not there leaves the one behind it",
        arguments: ["fill='url(#none) currentColor'", "fill='none' stroke='url(#none) currentColor'"]
    )
    func fallbackPaint(_ attributes: String) throws {
        let rectangle = "<rect width='20' height='20' stroke-width='40' \(attributes)/>"
        let document = svg("width='20' height='20'", "<g color='#f00'>\(rectangle)</g>")
        #expect(try decode(document).bitmap[10, 10] == [255, 0, 0, 255])
    }

    @Test(
        "valid view boxes and alignments stay",
        arguments: [
            "viewBox='-5-5 10 5'", "viewBox=' -5,-5,1e1 , 5.0 '", "viewBox='-5-5 10 .5e1'",
            "viewBox='-5 -5 10 5' preserveAspectRatio='xMinYMax slice'",
            "viewBox='-5 -5 10 10' preserveAspectRatio=' defer none'",
        ]
    )
    func validAttributes(_ attributes: String) throws {
        let data = svg("width='20' \(attributes) height='10'", "<rect x='-5' y='-5' width='5' height='9' fill='#f00'/>")
        let bitmap = try decode(data).bitmap
        #expect(bitmap[5, 5] == [255, 0, 0, 255])
        #expect(bitmap[15, 5] == [0, 0, 0, 0])
    }

    @Test("UTF-16 with a byte order mark is read, whatever the document says of itself", arguments: [true, false])
    func utf16(_ isBigEndian: Bool) throws {
        let text = "\u{feff}<?xml version='1.0' encoding='UTF-16'?>\n<!-- ä 𝄞 -->"
        let plain = svg("width='20' height='10'", "<rect width='10' height='10' fill='#f00'/>", before: text)
        let units = String(decoding: plain, as: UTF8.self).utf16
        let file = Data(
            units.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
                return isBigEndian ? [high, low] : [low, high]
            }
        )
        #expect(ImageFormat.detect(file) == .svg)
        #expect(try decoder.info(of: file, limits: .standard).size == PixelSize(20, 10))
        let bitmap = try decode(file).bitmap
        #expect(bitmap[5, 5] == [255, 0, 0, 255])
        #expect(throws: CodecError.self) { try decode(file.dropLast(11), damage: .isRefused) }
        #expect(ImageFormat.detect(Data(file.prefix(3))) == nil)
        // Without the mark, a document could not be searched for what it embeds.
        #expect(throws: CodecError.corrupt(.svg, reason: "a zero byte")) { try decode(svg("width='20' height='\0'")) }
    }

    @Test("without any statement, the size is that of the shapes")
    func extent() throws {
        let data = svg("", "<rect x='10' y='5' width='20' height='25'/>")
        #expect(try decoder.info(of: data, limits: .standard).size == PixelSize(30, 30))
        #expect(try decode(data).size == PixelSize(30, 30))
        #expect(throws: CodecError.self) { try decode(svg("")) }
    }

    @Test("comments, declarations and document types may come first")
    func prologue() throws {
        let before = """
            \u{feff}<?xml version="1.0"?><!-- <svg width="1" height="1"> -->
            <!DOCTYPE svg [ <!ENTITY a "<svg>"> ]>
            """
        let data = svg("width='30' height='20'", before: before)
        #expect(try decoder.info(of: data, limits: .standard).size == PixelSize(30, 20))
        let long = svg("width='30' height='20'", before: "<!--" + String(repeating: "-x", count: 500) + "-->")
        #expect(!decoder.recognizes(long.prefix(64)))
        #expect(try ImageCodecs.all.decode(long).size == PixelSize(30, 20))
    }

    @Test("pixels are premultiplied RGBA, transparent where nothing is drawn")
    func pixels() throws {
        let image = try decode(svg("width='8' height='4'", halves))
        #expect(image.info == ImageInfo(format: .svg, size: PixelSize(8, 4), hasAlpha: true))
        #expect(image.bitmap[1, 1] == [255, 0, 0, 255])
        #expect(image.bitmap[6, 0] == [0, 0, 128, 128] && image.bitmap[6, 3] == [0, 0, 0, 0])
        #expect(!image.bitmap.isOpaque && image.colorProfile == nil)
        #expect(try decode(svg("width='8' height='4'", "<rect width='8' height='4'/>")).bitmap.isOpaque)
    }

    @Test("a target size is covered by the smallest drawing of the same shape, sharp at any size")
    func targetSize() throws {
        for attributes in ["width='8' height='4'", "viewBox='0 0 8 4'", "width='800' height='400' viewBox='0 0 8 4'"] {
            let image = try decode(svg(attributes, halves), PixelSize(100, 100))
            #expect(image.size == PixelSize(200, 100), "\(attributes)")
            #expect(image.bitmap[99, 50] == [255, 0, 0, 255] && image.bitmap[100, 49] == [0, 0, 128, 128])
            #expect(image.bitmap[100, 50] == [0, 0, 0, 0])
            #expect(try decode(svg(attributes, halves), PixelSize(2, 2)).size == PixelSize(4, 2))
        }
        let huge = svg("width='1e9' height='1e9'", "<rect width='5e8' height='1e9' fill='lime'/>")
        #expect(try decode(huge, PixelSize(10, 10)).bitmap[2, 2] == [0, 255, 0, 255])
    }

    @Test("compressed drawings are told by their contents, and inflated")
    func compressed() throws {
        let plain = svg("width='8' height='4'", halves)
        let data = GzipBytes.stored(plain)
        #expect(ImageFormat.detect(data) == .svg && decoder.recognizes(data))
        let image = try ImageCodecs.all.decode(data)
        #expect(try image.bitmap.greatestDifference(from: decode(plain).bitmap) == 0)
        #expect(ImageFormat.detect(GzipBytes.stored(Data("no drawing".utf8))) == nil)
        for length in 1..<data.count {
            #expect(throws: CodecError.self, "cut at \(length)") {
                try decode(data.prefix(length), damage: .isRefused)
            }
        }
        #expect(try decode(data.dropLast(30)).isPartial)
    }

    @Test("a document that is cut short shows the elements that are there, and says so")
    func partial() throws {
        let shapes = "<rect width='4' height='4' fill='#f00'/><rect width='8' height='4'/>"
        let data = svg("width='8' height='4'", "<g>\(shapes)</g>")
        let image = try decode(data.dropLast(20))
        #expect(image.isPartial && image.size == PixelSize(8, 4))
        #expect(image.bitmap[1, 1] == [255, 0, 0, 255])
        #expect(image.bitmap[6, 1] == [0, 0, 0, 0])
        #expect(try !decode(data).isPartial)
    }

    @Test("a document cut at any byte is truncated or damaged where half an image is not wanted")
    func truncation() throws {
        let data = svg("width='8' height='4'", "<g><rect width='8' height='4'/></g><!-- c -->")
        for length in 1..<data.count {
            #expect(throws: CodecError.self, "cut at \(length)") {
                try decode(data.prefix(length), damage: .isRefused)
            }
        }
        #expect(throws: CodecError.truncated(.svg)) { try decode(data.prefix(20)) }
        #expect(throws: CodecError.truncated(.svg)) { try decode(data.dropLast(6), damage: .isRefused) }
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("cancelling takes effect before loading, before drawing and after it", arguments: 1...3)
    func cancellation(_ question: Int) {
        let questions = QuestionCounter(cancelledFrom: question)
        let data = svg("width='8' height='4'", halves)
        #expect(throws: CancellationError.self) {
            try decoder.decode(data, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        #expect(questions.count == question)
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) {
            try decoder.decode(data, options: DecodeOptions(frame: 1), isCancelled: { false })
        }
    }

    @Test("percentages of the root element leave the whole view box in sight")
    func percentages() throws {
        let document = Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='50%' height='50%' viewBox='0 0 40 40'>"
                .appending("<rect x='20' y='20' width='20' height='20' fill='#f00'/></svg>").utf8
        )
        let bitmap = try SVGDecoder().decode(document, options: DecodeOptions(), isCancelled: { false }).bitmap
        #expect(bitmap.size == PixelSize(20, 20))
        #expect(bitmap[15, 15] == [255, 0, 0, 255])
        #expect(bitmap[5, 5] == [0, 0, 0, 0])
    }
}
