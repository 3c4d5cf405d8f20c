import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

/// The rewriting of documents before librsvg reads them, for documents that it is not meant for.
@Suite("Rewriting of SVG")
struct SVGRewritingTests {
    private let red: [UInt8] = [255, 0, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]

    private func svg(_ content: String, attributes: String = "width='20' height='20'") -> String {
        "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>"
    }

    private func draw(_ document: String, limits: DecodeLimits = .standard) throws -> Bitmap {
        let options = DecodeOptions(limits: limits)
        return try SVGDecoder().decode(Data(document.utf8), options: options, isCancelled: { false }).bitmap
    }

    /// Returns the text of a document after a change of its elements.
    private func rewritten(_ document: Data, _ change: (inout SVGMarkup) -> Void) throws -> Data {
        var markup = try SVGMarkup(document, limits: .standard, isClosedWhereCut: false)
        change(&markup)
        return markup.text
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

    @Test("functions and shadows are spelled out up to a bound, and equal functions once")
    func amplification() throws {
        func elements(_ count: Int, _ element: (Int) -> String) -> Data {
            Data(svg((0..<count).map(element).joined()).utf8)
        }
        let many = elements(12_000) { "<g filter='saturate(0.\($0))'/>" }
        #expect(try rewritten(many, SVGFilterFunctions.spellOut) == many)
        let equal = elements(12_000) { _ in "<g filter='saturate(0.5)'/>" }
        let shared = try rewritten(equal, SVGFilterFunctions.spellOut)
        #expect(shared != equal && shared.count < 2 * equal.count)
        let shadows = elements(12_000) { _ in "<feDropShadow/>" }
        #expect(try rewritten(shadows, SVGDropShadows.spellOut) == shadows)
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

    @Test(
        "what is no markup stays as it is",
        arguments: [
            "<text><![CDATA[<feDropShadow/>]]></text>", "<!-- <feDropShadow/> -->",
            "<text>The filter: url(#a) blur(2px)</text>", "<desc>filter='url(#a) blur(2px)'</desc>",
        ]
    )
    func plainText(_ content: String) throws {
        let document = Data(svg(content).utf8)
        #expect(try rewritten(document, SVGDropShadows.spellOut) == document)
        #expect(try rewritten(document, SVGFilterLists.removeMissingReferences) == document)
    }

    @Test("references that lead nowhere are taken out of the lists of attributes and style sheets alone")
    func filterLists() throws {
        let filter = "<filter id = 'a'/>"
        let kept = ["filter='url(#a) blur(2px)'", "style='fill: red; filter: url(\"#a\") blur(2px)'"]
        for attribute in kept {
            let document = Data(svg(filter + "<g \(attribute)/>").utf8)
            #expect(try rewritten(document, SVGFilterLists.removeMissingReferences) == document)
        }
        let changed = [
            "<g filter='url(#b) blur(2px)'/>", "<g style='filter:url(#b) blur(2px)'/>",
            "<style><![CDATA[.x > .y{filter: url(#b) blur(2px)}]]></style>",
        ]
        for content in changed {
            let document = Data(svg(filter + content).utf8)
            let expected = Data(svg(filter + content.replacing("url(#b)", with: "       ")).utf8)
            #expect(try rewritten(document, SVGFilterLists.removeMissingReferences) == expected)
        }
    }

    @Test("a root element without content may have filter functions")
    func emptyRoot() throws {
        let document = "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20' filter='grayscale(1)'/>"
        #expect(try draw(document)[10, 10] == [0, 0, 0, 0])
    }

    @Test("a matrix may have line ends that are references to characters")
    func matrixWithReferences() throws {
        let rows = "0 0 0 0 0&#10;0 0 0 0 0&#xA;1 0 0 0 0&#10;0 0 0 1 0"
        let filter = "<filter id='f' color-interpolation-filters='sRGB'><feColorMatrix values='\(rows)'/></filter>"
        let bitmap = try draw(svg(filter + "<rect width='20' height='20' fill='#f00' filter='url(#f)'/>"))
        #expect(bitmap[10, 10] == blue)
    }

    @Test("the name of an element may end as an angle does")
    func namesLikeAngles() throws {
        let gradient = "<linearGradient id='a1turn'><stop stop-color='#f00'/></linearGradient>"
        let bitmap = try draw(svg(gradient + "<rect width='20' height='20' fill='url(#a1turn)'/>"))
        #expect(bitmap[10, 10] == red)
    }

    @Test("values in another encoding than UTF-8 stay as they are")
    func otherEncodings() throws {
        let parts = [
            "<svg><g style=\"font-family:'", "';filter:hue-rotate(1turn) saturate(0)\"/><feDropShadow id='",
            "'/></svg>",
        ]
        let document = Data(parts.map { Array($0.utf8) }.joined(separator: [0xfc]))
        #expect(try rewritten(document, SVGAngles.writeInDegrees) == document)
        let spelledOut = try rewritten(document, SVGFilterFunctions.spellOut)
        #expect(spelledOut.firstRange(of: Data("'".utf8 + [0xfc])) != nil)
        #expect(try rewritten(document, SVGDropShadows.spellOut) == document)
    }

    @Test("a length beyond all numbers is none")
    func endlessLength() {
        #expect(SVGLength("1e308in") == nil)
    }
}
