import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

extension String {
    /// For a value that stands in single quotes itself.
    fileprivate var replacingQuotes: String { String(map { $0 == "'" ? "\"" : $0 }) }
}

@Suite("Hostile SVG")
struct SVGSafetyTests {
    private let decoder = SVGDecoder()

    private func svg(_ content: String, attributes: String = "width='10' height='10'", before: String = "") -> Data {
        let namespaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return Data("\(before)<svg \(namespaces) \(attributes)>\(content)</svg>".utf8)
    }

    /// Returns the result of decoding a document; any error but a typed one fails the test.
    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Bitmap? {
        do {
            return try decoder.decode(data, options: options, isCancelled: { false }).bitmap
        } catch let error as CodecError {
            _ = error
            return nil
        }
    }

    @Test("files and addresses that a document names are not opened")
    func externalReferences() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/halcyon-svg-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/red.svg"
        let red = "<rect id='red' width='10' height='10' fill='red'/>"
        try svg(red).write(to: URL(filePath: path))
        try Data("rect { fill: red }".utf8).write(to: URL(filePath: folder + "/red.css"))
        let include = "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file://\(path)'/>"
        let style = "<style>@import url('file://\(folder)/red.css');</style><rect width='10' height='10' fill='none'/>"
        let documents = [
            svg("<image href='\(path)' width='10' height='10'/>"),
            svg("<image xlink:href='file://\(path)' width='10' height='10'/>"),
            svg("<use xlink:href='file://\(path)#red'/>"),
            svg("<use href='\(path)#red'/>"),
            svg(include),
            svg(style),
            svg("", before: "<?xml-stylesheet type='text/css' href='file://\(folder)/red.css'?>"),
            svg("&red;", before: "<!DOCTYPE svg [<!ENTITY red SYSTEM 'file://\(path)'>]>"),
            svg("<image href='http://127.0.0.1:9/red.svg' width='10' height='10'/>"),
        ]
        for document in documents {
            let bitmap = try decode(document)
            #expect(bitmap == nil || bitmap?[5, 5] == [0, 0, 0, 0], "\(String(decoding: document, as: UTF8.self))")
        }
    }

    @Test("what a document embeds is drawn")
    func embeddedImages() throws {
        var blue = try Bitmap(size: PixelSize(2, 2))
        blue.fill(PixelRect(size: blue.size), with: Color(red: 0, green: 0, blue: 1))
        let png = try PNGEncoder().encode(blue, options: EncodeOptions()).base64EncodedString()
        let document = svg("<image href='data:image/png;base64,\(png)' width='10' height='10'/>")
        #expect(try decode(document)?[5, 5] == [0, 0, 255, 255])
    }

    @Test("an embedded drawing is drawn whether its address states its type or not", arguments: ["", "image/svg+xml"])
    func embeddedDrawings(_ type: String) throws {
        let blue = svg("<rect width='10' height='10' fill='blue'/>").base64EncodedString()
        let addresses = ["data:\(type);base64,\(blue)", " DATA:\(type);base64,\(blue)"]
        for address in addresses {
            let image = "<image href='\(address)' width='5' height='10'/>"
            let bitmap = try decode(svg(image + image.replacing("<image", with: "<image x='5'")))
            #expect(bitmap?[2, 5] == [0, 0, 255, 255] && bitmap?[7, 5] == [0, 0, 255, 255], "\(address)")
        }
    }

    @Test(
        "an embedded image is drawn as what it is, whatever its address calls it",
        arguments: [
            "image/jpg", "image/JPG", "image/x-jpeg", "image/png", "application/octet-stream", "", " image/jpeg ",
        ]
    )
    func embeddedTypes(_ type: String) throws {
        var blue = try Bitmap(size: PixelSize(16, 16))
        blue.fill(PixelRect(size: blue.size), with: Color(red: 0, green: 0, blue: 1))
        let jpeg = try JPEGEncoder().encode(blue, options: EncodeOptions()).base64EncodedString()
        let document = svg("<image href='data:\(type);base64,\(jpeg)' width='10' height='10'/>")
        let pixel = try #require(try decode(document)?[5, 5])
        #expect(pixel[2] > 240 && pixel[0] < 16 && pixel[3] == 255)
    }

    @Test("what is called an image of pixels is no drawing", arguments: ["image/png", "image/jpg"])
    func drawingsByAnotherName(_ type: String) throws {
        let blue = svg("<rect width='10' height='10' fill='blue'/>").base64EncodedString()
        let document = svg("<image href='data:\(type);base64,\(blue)' width='10' height='10'/>")
        #expect(try decode(document)?[5, 5] == [0, 0, 0, 0])
    }

    @Test("embedded images are measured before they are decoded, however they are written")
    func embeddedSizes() throws {
        // The header of a PNG of 30,000 by 30,000 pixels is enough to be refused.
        var header = try PNGEncoder().encode(Bitmap.sample(PixelSize(2, 2)), options: EncodeOptions())
        header.replaceSubrange(8..<33, with: PNGBytes.header(30_000, 30_000, colorType: 6))
        let base64 = header.base64EncodedString()
        let percent = header.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let nested = Data("<svg xmlns='http://www.w3.org/2000/svg'><image href='data:;base64,\(base64)'/></svg>".utf8)
        let sizes = "width='10' height='10'"
        let entity = "<!DOCTYPE svg [<!ENTITY p 'data:image/png;base64,\(base64)'>]>"
        let markup =
            "<!DOCTYPE svg [<!ENTITY p '&#60;image \(sizes.replacingQuotes) &#x68;ref=\"data:;base64,\(base64)\"/>'>]>"
        let documents = [
            svg("<image \(sizes) href='data:image/png;base64,\(base64)'/>"),
            svg("<image \(sizes) xlink:href = \" DATA:image/png;charset=x;base64,\n\(base64)\"/>"),
            svg("<image \(sizes) href='&#100;ata&#x3a;image/png;base64,\(base64)'/>"),
            svg("<image \(sizes) href='data:image/png,\(percent)'/>"),
            svg("<image \(sizes) href='d&#9;ata:image/png;base64,\(base64)'/>"),
            svg("<image \(sizes) href='da&#10;ta:image/png;ba&#13;se64,\(base64)'/>"),
            // Not Base64 for a reader that looks at the last parameter alone.
            svg("<image \(sizes) href='data:image/png;base64;x,\(percent)R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='/>"),
            svg("<image \(sizes) href='data:image/svg+xml;base64,\(nested.base64EncodedString())'/>"),
            svg("<image \(sizes) href='&p;'/>", before: entity),
            svg("&p;", before: markup),
        ]
        for document in documents {
            #expect(try decode(document) == nil, "\(String(decoding: document, as: UTF8.self))")
        }
    }

    @Test("entities that multiply end in an error")
    func entities() throws {
        let entities = (1..<12).map { level in
            "<!ENTITY e\(level) '" + String(repeating: "&e\(level - 1);", count: 10) + "'>"
        }
        let before = "<!DOCTYPE svg [<!ENTITY e0 'xxxxxxxxxx'>" + entities.joined() + "]>"
        #expect(try decode(svg("<text>&e11;</text>", before: before)) == nil)
        #expect(try decode(svg("", attributes: "width='&e11;' height='10'", before: before)) == nil)
    }

    @Test("elements nested or repeated without bound end in an image or an error")
    func nesting() throws {
        let count = 200_000
        let open = String(repeating: "<g>", count: count)
        #expect(try decode(svg(open + String(repeating: "</g>", count: count))) == nil)
        let uses = (1..<40).map { level in
            "<g id='g\(level)'>" + String(repeating: "<use xlink:href='#g\(level - 1)'/>", count: 10) + "</g>"
        }
        _ = try decode(
            svg("<defs><g id='g0'><rect width='1' height='1'/></g>\(uses.joined())</defs><use xlink:href='#g39'/>")
        )
        _ = try decode(
            svg(
                "<pattern id='p' width='1' height='1'><rect width='9' height='9' fill='url(#p)'/></pattern><rect width='9' height='9' fill='url(#p)'/>"
            )
        )
        _ = try decode(svg("<g id='a'><use xlink:href='#a'/></g>"))
    }

    private static let rectangle = "<rect width='10' height='10' filter='url(#f)'/>"
    private static let kernel = "order='21' kernelMatrix='\(String(repeating: "1 ", count: 441))'"
    private static let innerText = Data(
        "<svg xmlns='http://www.w3.org/2000/svg'><text y='9' font-size='2000000'>a</text></svg>".utf8
    )

    /// Elements that refer to each other in a row.
    private static func chain(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined()
    }

    @Test(
        "values that would end the process are drawn as in browsers, wherever they stand",
        arguments: [
            "<text font-size='2000000'>a</text>", "<text font-size='&#50;e9'>a</text>",
            "<text style='FONT-SIZE:1e10px'>a</text>", "<text style='font:bold 1e10px serif'>a</text>",
            "<text style='f\\6f nt-size:/**/1e10px'>a</text>", "<text font-size='&size;'>a</text>", "&text;",
            "<style>.a{fill:red;font-size:1e9px}</style><text class='a'>a</text>",
            "<style>text{fo<![CDATA[nt-size]]>:<!-- -->1e9px}</style><text>a</text>",
            "<g font-size='90em'><g font-size='9000%'><g style='font-size:90em'><text>a</text></g></g></g>",
            "<style>g{font-size:50em}</style><g><g><g><g><text>a</text></g></g></g></g>",
            "<filter id='f'><feFlood x='500' width='.4'/><feTile/></filter>\(rectangle)",
            "<filter id='f'><feDiffuseLighting kernelUnitLength='0.00001'/></filter>\(rectangle)",
            "<filter id='f'><feConvolveMatrix \(kernel)/></filter>\(rectangle)",
            "<filter id='f'><feTurbulence numOctaves='/**/1000000000'/></filter>\(rectangle)",
            "<image width='9' height='9' href='data:image/svg+xml;base64,\(innerText.base64EncodedString())'/>",
            "<style>@import url('data:text/css,text{font-size:2000000px}');</style><text>a</text>",
            "<text style='font-family:\"/*\";font-size:1e9px'>a</text>",
            "<text style='font-family:\"\n/*\";font-size:1e9px'>a</text>",
            "<text style='font-family:\"\\\"/*\";font-size:1e9px'>a</text>",
            "<text style='fill:url(/*);font-size:1e9px'>a</text>",
            "<style>.a{font-family:'/*'} g{font-size:50em}</style><g><g><g><g><g><text>a</text></g></g></g></g></g>",
        ]
    )
    func endingValues(_ content: String) throws {
        let entities = "<!ENTITY size '2000000'><!ENTITY text '<text font-size=\"2000000\">a</text>'>"
        let type = "<!DOCTYPE svg [\(entities) <!ATTLIST text font-size CDATA '2000000'>]>"
        _ = try decode(svg(content, before: type))
    }

    @Test("a kernel of more numbers than there can be leaves nothing of what is filtered, and no more than that")
    func kernels() throws {
        let filter = "<filter id='f'><feConvolveMatrix \(Self.kernel)/></filter>"
        let shapes = "<rect width='5' height='10' filter='url(#f)'/><rect x='5' width='5' height='10' fill='blue'/>"
        let bitmap = try #require(try decode(svg(filter + shapes)))
        #expect(bitmap[2, 5] == [0, 0, 0, 0] && bitmap[7, 5] == [0, 0, 255, 255])
    }

    private static let uses = chain(3_000) { "<use id='u\($0)' xlink:href='#u\($0 + 1)'/>" }
    private static let patterns = chain(300) {
        "<pattern id='p\($0)' width='9' height='9'><path fill='url(#p\($0 + 1))'/></pattern>"
    }
    private static let escapedPatterns = chain(300) {
        "<pattern id='p;\($0)' width='9' height='9'><path style='fill:url(\"#p;\($0 + 1)\")'/></pattern>"
    }.replacing("p;0'", with: "p0'")
    private static let powers = chain(12) { level in
        "<g id='u\(level)'>\(String(repeating: "<use xlink:href='#u\(level + 1)'/>", count: 10))</g>"
    }
    private static let images = chain(3_000) {
        "<filter id='f\($0)'><feImage href='#g\($0 + 1)'/></filter><g id='g\($0)' filter='url(#f\($0))'/>"
    }
    /// So many rules and elements.
    private static func sheet(_ count: Int, _ rule: String, _ elementCount: Int) -> String {
        "<style>\(String(repeating: rule, count: count))</style>\(String(repeating: "<g/>", count: elementCount))"
    }
    private static let blurs = String(repeating: "<feGaussianBlur stdDeviation='9'/>", count: 500)

    @Test(
        "what takes too long, or too deep a stack, is refused before it is drawn",
        arguments: [
            "<filter id='f'><feMorphology operator='dilate' radius='500'/></filter>\(rectangle)",
            "<style>.a{filter:url(#f)}</style><filter id='f'>\(blurs)</filter><g class='a'/>",
            uses, images, "\(patterns)<rect width='9' height='9' fill='url(#p0)'/>", "\(powers)<g id='u12'/>",
            "<g transform='scale(1e9)'><text>a</text></g>", "<g \(chain(1_100) { " a\($0)=''" })/>",
            "\(String(repeating: "<g mask='url(#m)'/>", count: 2_000))<mask id='m'/>",
            "\(patterns.replacing("url(", with: "URL("))<rect width='9' height='9' fill='Url(#p0)'/>",
            "\(escapedPatterns)<rect width='9' height='9' fill='url(#p0)'/>",
            "<g xmlns:a='urn:a'>\(uses.replacing("<use ", with: "<use a:href='#' "))</g>",
            "<style>.a\\:b{filter:URL('#f')}</style><filter id='f'>\(blurs)</filter><g class='a:b'/>",
            "<style>g[ id]{filter:url(#f)}</style><filter id='f'>\(blurs)</filter><g id='a'/>",
            "<style>:not(.b c){filter:url(#f)}</style><filter id='f'>\(blurs)</filter><g/>",
            "<style>@media a{b{}} .a{filter:url(#f)}</style><filter id='f'>\(blurs)</filter><g class='a'/>",
            "<filter id='f'>\(blurs)</filter><g display='none' style='display:inline'><g filter='url(#f)'/></g>",
            sheet(200, "g:nth-child(2n+1){}", 5_000), sheet(200, "b~g{}", 5_000), sheet(5_000, "b{}", 50_000),
        ]
    )
    func endlessWork(_ content: String) throws {
        let document = svg(content, attributes: "width='2000' height='1000'")
        do {
            _ = try decoder.decode(document, options: DecodeOptions(), isCancelled: { false })
            Issue.record("drawn")
        } catch CodecError.unsupported(.svg, reason: _) {}
    }

    @Test(
        "the size of a drawing that states none is measured in no more time than reading takes",
        arguments: [
            "<path id='a' d='M0 0\(String(repeating: "c1 2 3 4 5 6", count: 2_000))' stroke='red'/>"
                + String(repeating: "<use href='#a'/>", count: 2_000),
            "<style>\((0..<1_000).map { ".c\($0){}" }.joined())</style>"
                + "<g class='\(String(repeating: "x ", count: 60_000))'/>",
            "<style>\((0..<100).map { "q\($0)~g rect{}" }.joined())</style>"
                + String(repeating: "<g><rect width='9' height='9'/></g>", count: 2_000),
        ]
    )
    func measuring(_ content: String) throws {
        #expect(try decoder.info(of: svg(content, attributes: ""), limits: .standard).size == SVGSize.unknown.pixels)
    }

    @Test("a path that is used often is drawn, as long as that takes seconds")
    func repeatedPath() throws {
        let steps = String(repeating: "l1.234567 0.765432", count: 600)
        let path = "<path id='a' fill='red' transform='scale(.01)' d='M0 0\(steps)v99'/>"
        let uses = String(repeating: "<use href='#a'/>", count: 8_000)
        let (markup, demands) = try SVGDocument.markup(
            of: svg("\(path)\(uses)", attributes: "width='100' height='100'"),
            limits: .standard,
            isClosedWhereCut: false
        )
        try demands.check(SVGSize(width: 100, height: 100), in: PixelSize(100, 100), limits: .standard)
        #expect(!demands.areSmall && !markup.isCutShort)
    }

    @Test(
        "style sheets of common size are no reason to refuse a drawing",
        arguments: [".a{fill:red}", "g:first-child{}", "b g{}", "[class~=a]{}", "text:nth-last-of-type(2){}"]
    )
    func commonSheets(_ rule: String) throws {
        #expect(try decode(svg(Self.sheet(300, rule, 2_000))) != nil)
    }

    @Test(
        "surfaces inside of each other count against the memory",
        arguments: ["opacity='.9'", "style='opacity:.9'", "class='a'", "filter='blur(1px)'", "mask='url(#m)'"]
    )
    func surfaces(_ attributes: String) throws {
        let style = "<style>g.a:not(.b) {opacity: .9}</style><mask id='m'/>"
        func document(_ depth: Int) -> Data {
            let groups = String(repeating: "<g \(attributes)>", count: depth)
            let content = style + groups + String(repeating: "</g>", count: depth)
            return svg(content, attributes: "width='500' height='500'")
        }
        let options = DecodeOptions(limits: DecodeLimits(memory: 10 << 20))
        #expect(try decode(document(1), options) != nil)
        do {
            _ = try decoder.decode(document(12), options: options, isCancelled: { false })
            Issue.record("drawn")
        } catch CodecError.limitExceeded(.svg, .memory(_, maximum: 10 << 20)) {}
    }

    @Test(
        "the tiles of patterns and the drawings that are embedded count against the memory",
        arguments: [
            "width='5000' height='5000'", "width='9' height='9' patternTransform='scale(500)'",
            "width='9' height='9' transform='scale(500)'", "width='9em' height='9ch' font-size='1000'",
        ]
    )
    func tiles(_ attributes: String) throws {
        func pattern(_ attributes: String) -> Data {
            svg("<pattern id='p' patternUnits='userSpaceOnUse' \(attributes)><g/></pattern><g fill='url(#p)'/>")
        }
        func image(_ side: Int) -> Data {
            let drawing = svg("", attributes: "width='\(side)' height='\(side)'").base64EncodedString()
            return svg("<image width='9' height='9' href='data:image/svg+xml;base64,\(drawing)'/>")
        }
        let options = DecodeOptions(limits: DecodeLimits(memory: 50 << 20))
        #expect(try decode(pattern("width='9' height='9'"), options) != nil)
        #expect(try decode(image(100), options) != nil)
        for document in [pattern(attributes), image(3_000)] {
            do {
                _ = try decoder.decode(document, options: options, isCancelled: { false })
                Issue.record("drawn")
            } catch CodecError.limitExceeded(.svg, .memory(_, maximum: 50 << 20)) {}
        }
    }

    private static func steps(_ first: String, _ second: String) -> String {
        String(repeating: first, count: 100) + String(repeating: second, count: 100)
    }

    @Test("a small tile that is enlarged counts once by its scale")
    func enlargedTiles() throws {
        let size = "width='1000' height='1000'"
        let attributes = "width='5' height='5' patternUnits='userSpaceOnUse' patternTransform='scale(64)'"
        let shapes = "<rect \(size) fill='url(#p)'/><rect width='9' height='9' fill='blue'/>"
        let drawing = svg("<pattern id='p' \(attributes)><g/></pattern>\(shapes)", attributes: size)
        #expect(try decode(drawing)?[5, 5] == [0, 0, 255, 255])
    }

    @Test("patterns that lead to each other are looked at once each")
    func circularPatterns() throws {
        let patterns = (0..<200).map { "<pattern id='p\($0)' href='#p\(($0 + 1) % 200)'/>" }.joined()
        _ = try decode(svg("\(patterns)<rect width='9' height='9' fill='url(#p0)'/>"))
        let tile = "width='5000' height='5000' patternUnits='userSpaceOnUse'"
        let chain = "<pattern id='p' href='#q'/><pattern id='q' href='#r'/><pattern id='r' \(tile)/><g fill='url(#p)'/>"
        #expect(try decode(svg(chain), DecodeOptions(limits: DecodeLimits(memory: 50 << 20))) == nil)
    }

    @Test(
        "a tile that is a multiple of its shape, or that of a shape much larger than the drawing, counts as well",
        arguments: [
            "<pattern id='p' width='150' height='150'/>/<rect width='20' height='20' fill='url(#p)'/>",
            "<pattern id='p' patternUnits='user' width='150' height='150'/>/<path d='M0 0h20v20z' fill='url(#p)'/>",
            "<pattern id='q' width='150' height='150'/><pattern id='p' href='#q'/>/<g fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<rect width='9000' height='9000' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='M0,0H9000V9000z' stroke='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='M0 0H1-9000.V1-9000.5.5H0z' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='m0 0\(Self.steps("h90", "v90"))z' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='M0 0a9e3 9e3 0 1120 20z' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='M0 0A90,1 90 1 1 90 0z' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<path d='M0e999,0h9000v9000h-9000z' fill='url(#p)'/>",
            """
            <pattern id='p' width='1' height='1'/>/<path fill='url(#p)' \
            d='M0.\(String(repeating: "0", count: 310)),0h9000v9000h-9000z'/>
            """,
            "<pattern id='p' width='1' height='1'/>/<polygon points='0,0-9000-9000 5,5' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<rect width='90in' height='90in' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<rect style='width:9000px;height:600em' fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<style>circle{r:9000px}</style><circle fill='url(#p)'/>",
            "<pattern id='p' width='1' height='1'/>/<rect font-size='900' width='10em' height='10em ' fill='url(#p)'/>",
            """
            <pattern id='p' width='1' height='1'/>/<style>g{font-size:900px} circle{r:10em}</style>\
            <g><circle fill='url(#p)'/></g>
            """,
            "<pattern id='p' width='1' height='1'/>/<g fill='url(#p)'><rect width='9000' height='9000'/></g>",
            """
            <pattern id='p' width='1' height='1'/>/<g fill='url(#p)'><g transform='scale(99)'>\
            <ellipse rx='99' ry='99'/></g></g>
            """,
            """
            <pattern id='p' width='1' height='1'/>/<defs><rect id='r' width='9000' height='9000'/></defs>\
            <use href='#r' fill='url(#p)'/>
            """,
            "<pattern id='p' width='1' height='1'/>/<text font-size='4000' fill='url(#p)'>far and wide</text>",
            """
            <pattern id='p' width='1' height='1'/>/<text fill='url(#p)'>near<tspan x='5 -9000'>far</tspan>\
            <tspan dy='300em'>below</tspan><tspan dy='300em'>and further</tspan></text>
            """,
            """
            <pattern id='p' width='1' height='1'/>/<text y='900' style='letter-spacing:9000px' fill='url(#p)'>far and \
            wide</text>
            """,
            """
            <pattern id='p' width='1' height='1'/>/<g font-size='8em'><g font-size='800%'><text fill='url(#p)'>large and \
            wide</text></g></g>
            """,
            """
            <pattern id='p' width='1' height='1'/>/<text id='t' font-size='9em'>large and wide</text>\
            <g font-size='9em'><use href='#t' fill='url(#p)'/></g>
            """,
            """
            <pattern id='p' width='1' height='1'/>/<pattern id='q' fill='url(#p)' width='1' height='1'>\
            <rect width='9000' height='9000'/></pattern><rect width='9' height='9' fill='url(#q)'/>
            """,
        ]
    )
    func relativeTiles(_ parts: String) throws {
        let parts = parts.split(separator: "/<", maxSplits: 1)
        let options = DecodeOptions(limits: DecodeLimits(memory: 50 << 20))
        do {
            _ = try decoder.decode(svg(parts.joined(separator: "<")), options: options, isCancelled: { false })
            Issue.record("drawn")
        } catch CodecError.limitExceeded(.svg, .memory(_, maximum: 50 << 20)) {}
        // The whole of a shape, as drawing programs write it for a picture.
        let picture = "<g transform='scale(.001)'><rect width='9000' height='9000'/></g>"
        for shape in [
            "<rect width='20' height='20' rx='9000' fill='url(#p)'/>",
            "<path d='M9 9\(Self.steps("h9v9", "h-9v-9"))z' fill='url(#p)'/>",
            "<g fill='url(#p)'><path d='M0 0A9000 9000 0 0120 20z'/><text font-size='20'>usual</text></g>",
        ] {
            let usual = "<pattern id='p' width='1' height='1'>\(picture)</pattern>\(shape)"
            #expect(try decode(svg(usual), options) != nil)
        }
    }

    @Test("an arc of a flat ellipse reaches no further than the ellipse")
    func flatArcs() throws {
        let shadow = "M950,900a450,4 0 0 1-900,0a450,4 0 0 1 900,0z"
        let pattern = "<pattern id='p' width='1' height='1'><rect width='900' height='9'/></pattern>"
        let drawing = svg(
            "\(pattern)<path fill='url(#p)' d='\(shadow)'/>",
            attributes: "width='1000' height='1000' viewBox='0 0 1000 1000'"
        )
        let options = DecodeOptions(limits: DecodeLimits(memory: 50 << 20))
        #expect(try decode(drawing, options) != nil)
    }

    @Test(
        "what is never drawn counts nothing",
        arguments: [
            "<style>g:hover, g:focus{filter:url(#f)}</style><g/>", "<style>@media print{g{filter:url(#f)}}</style><g/>",
            "<style>@media (prefers-color-scheme: dark){g{opacity:.5} g{filter:url(#f)}}</style><g/>",
            "<g display='none'><g filter='url(#f)'/></g>", "<g style='display: none'><g filter='url(#f)'/></g>",
            String(repeating: "<g style='opacity:1 !important'/>", count: 5_000),
        ]
    )
    func unseenWork(_ content: String) throws {
        let document = svg(
            "<filter id='f'>\(Self.blurs)</filter>\(content)<rect width='2000' height='1000' fill='blue'/>",
            attributes: "width='2000' height='1000'"
        )
        #expect(try decode(document)?[5, 5] == [0, 0, 255, 255])
    }

    @Test(
        "what is embedded and no image, or a broken one, is left out",
        arguments: [
            "<image width='9' height='9' href='data:image/png;base64,iVBORw0KGgo='/>",
            "<image width='9' height='9' href='data:image/png;base64,iVBORw0KGg'/>",
            "<image width='9' height='9' href='data:image/png;base64,***'/>",
            "<image width='9' height='9' href='data:image/svg+xml,&lt;svg xmlns=&quot;http://www.w3.org/2000/svg&quot;>&lt;/g>'/>",
            "<a href='data:text/plain,hi'><g/></a>",
        ]
    )
    func brokenImages(_ content: String) throws {
        let document = svg("<rect width='10' height='10' fill='blue'/>\(content)")
        #expect(try decode(document)?[5, 5] == [0, 0, 255, 255])
        let cut = svg("<rect width='10' height='10' fill='blue'/><image href='data:image/png;base64,iVBO")
        #expect(try decode(cut.dropLast("</svg>".count))?[5, 5] == [0, 0, 255, 255])
    }

    @Test("a drawing is partial where one that it embeds is cut short")
    func partialDrawings() throws {
        let inner = svg("<rect width='5' height='10' fill='blue'/><g><rect x='2")
        let image = svg("<image width='10' height='10' href='data:image/svg+xml;base64,\(cut(inner))'/>")
        #expect(try decoder.decode(image, options: DecodeOptions(), isCancelled: { false }).isPartial)
        #expect(throws: CodecError.self) {
            try decoder.decode(image, options: DecodeOptions(damage: .isRefused), isCancelled: { false })
        }
    }

    /// Base64 of a document without its last tag.
    private func cut(_ document: Data) -> String { document.dropLast("</svg>".count).base64EncodedString() }

    @Test("elements, attributes and the parts of paths count against the memory")
    func elements() throws {
        let options = DecodeOptions(limits: DecodeLimits(memory: 1 << 20))
        let many = [
            String(repeating: "<g/>", count: 2_000), String(repeating: "<g a='' b='' c='' d=''/>", count: 800),
            "<path d='M0 0\(String(repeating: "h1", count: 20_000))'/>",
        ]
        #expect(try decode(svg("<g/>"), options) != nil)
        for content in many {
            do {
                _ = try decoder.decode(svg(content), options: options, isCancelled: { false })
                Issue.record("drawn")
            } catch CodecError.limitExceeded(.svg, .memory(_, maximum: 1 << 20)) {}
        }
    }

    @Test("what stands in entities is drawn as if it stood in their place")
    func expansion() throws {
        let type = """
            <!DOCTYPE svg [<!ENTITY fill "fill:blue"><!ENTITY shape '<rect width="10" height="10" style="&fill;"/>'>
            <!-- ' --> <!ATTLIST svg xmlns:x CDATA #FIXED "a]>"> <!ENTITY fill 'fill:red'>]>
            """
        #expect(try decode(svg("<g x:y=''>&shape;</g>", before: type))?[5, 5] == [0, 0, 255, 255])
    }

    @Test("sizes are checked against the limits before a surface is made")
    func limits() throws {
        let large = svg("", attributes: "width='30000' height='30000'")
        #expect(throws: CodecError.limitExceeded(.svg, .pixelCount(PixelSize(30_000, 30_000), maximum: 1 << 28))) {
            try decoder.decode(large, options: DecodeOptions(), isCancelled: { false })
        }
        let wide = svg("", attributes: "width='40000' height='1'")
        #expect(throws: CodecError.limitExceeded(.svg, .sideLength(PixelSize(40_000, 1), maximum: 32_767))) {
            try decoder.decode(wide, options: DecodeOptions(), isCancelled: { false })
        }
        let endless = svg("", attributes: "width='1e300' height='1e300'")
        #expect(throws: CodecError.self) {
            try decoder.decode(endless, options: DecodeOptions(), isCancelled: { false })
        }
        #expect(try decode(large, DecodeOptions(targetSize: PixelSize(10, 10)))?.size == PixelSize(10, 10))
        let thin = svg("", attributes: "width='1e9' height='1'")
        #expect(throws: CodecError.self) {
            try decoder.decode(thin, options: DecodeOptions(targetSize: PixelSize(10, 10)), isCancelled: { false })
        }
    }

    @Test("compressed text is inflated up to a bound")
    func inflation() throws {
        let text = svg("<!--" + String(repeating: " ", count: 100_000) + "-->")
        let limits = DecodeLimits(memory: 90_000)
        #expect(throws: CodecError.limitExceeded(.svg, .memory(90_001, maximum: 90_000))) {
            try decoder.decode(GzipBytes.stored(text), options: DecodeOptions(limits: limits), isCancelled: { false })
        }
        #expect(throws: CodecError.limitExceeded(.svg, .memory(text.count, maximum: 90_000))) {
            try decoder.decode(text, options: DecodeOptions(limits: limits), isCancelled: { false })
        }
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let content = """
            <defs><linearGradient id='a'><stop offset='0' stop-color='red'/></linearGradient>
            <filter id='f'><feGaussianBlur stdDeviation='2'/></filter></defs>
            <path d='M1 1L9 9A3 3 0 0 1 5 5z' fill='url(#a)' filter='url(#f)' transform='rotate(30)'/>
            """
        let files = [svg(content), GzipBytes.stored(svg(content))]
        let limits = DecodeLimits(pixelCount: 1 << 16, memory: 8 << 20)
        for file in files {
            for _ in 0..<150 {
                let damaged = random.damage(file)
                _ = try? decoder.info(of: damaged, limits: limits)
                _ = try decode(damaged, DecodeOptions(limits: limits))
            }
        }
    }
}
