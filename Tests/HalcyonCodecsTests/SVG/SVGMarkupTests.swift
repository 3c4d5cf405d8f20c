import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

/// Reading the markup of documents, before librsvg does, where there is much of it.
@Suite("Markup of SVG")
struct SVGMarkupTests {
    private func svg(_ content: String, attributes: String = "width='20' height='20'") -> String {
        "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>"
    }

    private func draw(_ document: String, limits: DecodeLimits = .standard) throws -> Bitmap {
        let options = DecodeOptions(limits: limits)
        return try SVGDecoder().decode(Data(document.utf8), options: options, isCancelled: { false }).bitmap
    }

    @Test("a list of numbers without separators is read in linear time", .timeLimit(.minutes(1)))
    func numbers() {
        let list = String(repeating: "1-1", count: 40_000)
        #expect(SVGLength.numbers(list)?.count == 40_001)
        #expect(SVGLength.numbers("1.5.5-3 4\n5,\t6") == [1.5, 0.5, -3, 4, 5, 6])
        #expect(SVGLength.numbers("1 2x") == nil)
        #expect(SVGLength.numbers("1e 2") == nil)
    }

    @Test(
        "markup that never ends is given up in linear time",
        .timeLimit(.minutes(1)),
        arguments: [
            ("", "<feDropShadow>"), ("", "<feDropShadow a"), ("<style>", " filter:url("),
            ("<style>filter: url(#a) url(#b)</style>", "<"),
            ("", "<g transform='scale(1)' transform-origin='50% 50%'>"), ("<defs><use href='#a'/>", "<svg id='b'>"),
        ]
    )
    func endlessMarkup(_ beginning: String, _ repeated: String) {
        let document = svg(beginning + String(repeating: repeated, count: 10_000))
        do { _ = try draw(document) } catch { #expect(error is CodecError) }
    }

    @Test("elements inside of each other are looked at in linear time", .timeLimit(.minutes(1)))
    func nesting() {
        let count = 20_000
        let groups = String(repeating: "<g transform='scale(1)' transform-origin='9 9'>", count: count)
        #expect(throws: CodecError.self) { try draw(svg(groups + String(repeating: "</g>", count: count))) }
    }

    @Test("the text of drawings inside of drawings is bounded as that of one")
    func nestedText() {
        let inner = svg("<!--" + String(repeating: " ", count: 45_000) + "-->")
        func image(_ drawing: String) -> String {
            svg("<image href='data:image/svg+xml;base64,\(Data(drawing.utf8).base64EncodedString())'/>")
        }
        let outer = image(inner)
        let byteCount = inner.utf8.count + outer.utf8.count
        let limits = DecodeLimits(memory: 100_000)
        #expect(throws: CodecError.limitExceeded(.svg, .memory(byteCount, maximum: 100_000))) {
            try draw(image(outer), limits: limits)
        }
    }

    @Test("a length beyond all numbers is none")
    func endlessLength() {
        #expect(SVGLength("1e308in") == nil)
    }
}
