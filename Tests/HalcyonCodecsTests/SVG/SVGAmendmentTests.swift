import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

@Suite("What librsvg does not follow in SVG")
struct SVGAmendmentTests {
    private let red: [UInt8] = [255, 0, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]
    private let clear: [UInt8] = [0, 0, 0, 0]

    /// Draws a document of 20 by 20 pixels.
    private func draw(_ content: String) throws -> Bitmap {
        let namespaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        let document = Data("<svg \(namespaces) viewBox='0 0 20 20'>\(content)</svg>".utf8)
        return try SVGDecoder().decode(document, options: DecodeOptions(), isCancelled: { false }).bitmap
    }

    @Test(
        "a transformation has the origin that is stated",
        arguments: [
            "transform-origin='center'", "transform-origin='50% 10'", "transform-origin=\"10px 10 5\"",
            "transform-origin='center center'", "style='fill: #f00; transform-origin: 50% 50%'",
        ]
    )
    func origins(_ origin: String) throws {
        let bitmap = try draw("<g fill='#f00'><rect width='4' height='4' transform='scale(-1)' \(origin)/></g>")
        #expect(bitmap[18, 18] == red)
        #expect(bitmap[1, 1] == clear)
    }

    @Test(
        "words of an origin name its sides, in either order",
        arguments: [
            ("bottom right", PixelPoint(20, 20), PixelPoint(18, 18)),
            ("right bottom", PixelPoint(20, 20), PixelPoint(18, 18)),
            ("left", PixelPoint(-4, 0), PixelPoint(2, 18)), ("top", PixelPoint(0, -4), PixelPoint(18, 2)),
            ("0 0", PixelPoint(-4, -4), PixelPoint(2, 2)),
        ]
    )
    func words(_ origin: String, _ place: PixelPoint, _ shown: PixelPoint) throws {
        let place = "x='\(place.x)' y='\(place.y)' width='4' height='4'"
        let bitmap = try draw("<rect \(place) fill='#f00' transform='scale(-1)' transform-origin='\(origin)'/>")
        #expect(bitmap[shown.x, shown.y] == red)
    }

    @Test("origins hold for patterns and gradients, and not where the size of the element itself would count")
    func originsElsewhere() throws {
        let pattern = try draw(
            "<pattern id='p' patternUnits='userSpaceOnUse' width='20' height='20' patternTransform='scale(-1)' "
                + "transform-origin='center'><rect width='5' height='20' fill='#f00'/></pattern>"
                + "<rect width='20' height='20' fill='url(#p)'/>"
        )
        #expect(pattern[17, 10] == red)
        #expect(pattern[2, 10] == clear)
        let box = try draw(
            "<rect width='4' height='4' fill='#f00' transform='scale(1)' style='transform-box: fill-box' "
                + "transform-origin='center'/>"
        )
        #expect(box[2, 2] == red)
    }

    @Test(
        "what is for other languages or for extensions is not drawn, outside of a switch either",
        arguments: [
            "systemLanguage='tlh'", "systemLanguage='tlh, x-qq'", "systemLanguage=''", "requiredExtensions='http://x'",
            "systemLanguage='tlh' style='display: inline'",
        ]
    )
    func conditions(_ condition: String) throws {
        #expect(try draw("<rect width='20' height='20' fill='#f00' \(condition)/>")[10, 10] == clear)
        let group = "<g \(condition)><rect width='20' height='20' fill='#f00'/></g>"
        #expect(try draw(group)[10, 10] == clear)
        // The resources in it can still be referred to.
        let paint = "<linearGradient id='l'><stop stop-color='#f00'/></linearGradient>"
        #expect(try draw("<g \(condition)>\(paint)</g><rect width='20' height='20' fill='url(#l)'/>")[10, 10] == red)
    }

    @Test("what is in English too is drawn", arguments: ["en", "en-GB", "tlh, en", "tlh,en-US"])
    func english(_ languages: String) throws {
        let rectangle = "<rect width='20' height='20' fill='#f00' systemLanguage='\(languages)'/>"
        #expect(try draw(rectangle)[10, 10] == red)
        let choice = "<switch><rect width='20' height='20' fill='#00f' systemLanguage='tlh'/>"
        #expect(try draw("\(choice)<rect width='20' height='20' fill='#f00'/></switch>")[10, 10] == red)
    }

    @Test(
        "attributes of filters that mean nothing are as if not given",
        arguments: [
            "<feGaussianBlur stdDeviation=''/>", "<feGaussianBlur stdDeviation='-3'/>",
            "<feGaussianBlur stdDeviation='x'/>", "<feColorMatrix type='matrix' values='1 2 3'/>",
            "<feColorMatrix type='hueRotate' values=''/>", "<feColorMatrix type='none'/>",
            "<feComposite in='SourceGraphic' in2='SourceGraphic' operator='some'/>",
            "<feBlend in='SourceGraphic' in2='SourceGraphic' mode='some'/>",
        ]
    )
    func filters(_ primitive: String) throws {
        let content = "<filter id='f'>\(primitive)</filter><rect width='20' height='20' fill='#f00' filter='url(#f)'/>"
        #expect(try draw(content)[10, 10] == red)
    }

    @Test(
        "attributes of gradients that mean nothing are as if not given",
        arguments: [
            "<linearGradient id='l' spreadMethod='some'><stop offset='some' stop-color='#f00'/></linearGradient>",
            "<linearGradient id='l' gradientUnits='some'><stop stop-color='#f00'/></linearGradient>",
        ]
    )
    func gradients(_ gradient: String) throws {
        #expect(try draw("\(gradient)<rect width='20' height='20' fill='url(#l)'/>")[10, 10] == red)
    }

    @Test(
        "as many points as can be read are drawn",
        arguments: ["0,0 20,0 20,20 0,20 some", "0 0 20 0 20 20 0 20 7", "0,0 20,0 20,20 0,20, , 5 5"]
    )
    func points(_ points: String) throws {
        #expect(try draw("<polygon points='\(points)' fill='#f00'/>")[10, 10] == red)
    }

    @Test("an image that leaves a side open has its own shape", arguments: ["width='20'", "height='10'"])
    func images(_ side: String) throws {
        let pixels = try Bitmap.sample(PixelSize(4, 2))
        let file = try PNGEncoder().encode(pixels, options: EncodeOptions()).base64EncodedString()
        for attributes in [side, "\(side) \(side.hasPrefix("w") ? "height" : "width")='auto'"] {
            let bitmap = try draw("<image \(attributes) xlink:href='data:image/png;base64,\(file)'/>")
            #expect(bitmap[18, 8][3] == 255)
            #expect(bitmap[10, 12] == clear)
        }
    }

    @Test("a nested drawing is as large as the element that places it says")
    func nestedDrawings() throws {
        let bitmap = try draw(
            "<defs><svg id='s' viewBox='0 0 1 1'><rect width='1' height='1' fill='#00f'/></svg></defs>"
                + "<use href='#s' width='6' height='6'/>"
        )
        #expect(bitmap[3, 3] == blue)
        #expect(bitmap[12, 12] == clear)
    }

    @Test("angles may be in turns")
    func turns() throws {
        let content = "<rect width='20' height='20' fill='#f00' filter='hue-rotate(1turn)'/>"
        #expect(try draw(content)[10, 10] == red)
    }

    @Test(
        "filter functions that change colours work on sRGB",
        arguments: [
            ("contrast(.5)", [191, 64, 64] as [UInt8]), ("invert(25%)", [191, 64, 64]),
            ("brightness(.5)", [128, 0, 0]),
            ("grayscale()", [54, 54, 54]), ("sepia(1)", [100, 89, 69]), ("opacity(1) brightness(.5)", [128, 0, 0]),
        ]
    )
    func functions(_ functions: String, _ color: [UInt8]) throws {
        for attribute in ["filter='\(functions)'", "style='filter: \(functions)'"] {
            let pixel = try draw("<rect width='20' height='20' fill='#f00' \(attribute)/>")[10, 10]
            #expect(zip(pixel, color + [255]).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(attribute): \(pixel)")
        }
    }

    @Test("a gradient that refers to itself has its own stops")
    func ownReference() throws {
        let gradient = "<radialGradient id='l' xlink:href='#l'><stop stop-color='#f00'/></radialGradient>"
        #expect(try draw("\(gradient)<rect width='20' height='20' fill='url(#l)'/>")[10, 10] == red)
    }

    @Test("percentages of the root element leave the whole view box in sight")
    func percentages() throws {
        let document = Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='50%' height='50%' viewBox='0 0 40 40'>"
                .appending("<rect x='20' y='20' width='20' height='20' fill='#f00'/></svg>").utf8
        )
        let bitmap = try SVGDecoder().decode(document, options: DecodeOptions(), isCancelled: { false }).bitmap
        #expect(bitmap.size == PixelSize(20, 20))
        #expect(bitmap[15, 15] == red)
        #expect(bitmap[5, 5] == clear)
    }

    @Test("comments, sections of text and unknown markup are left alone")
    func leftAlone() throws {
        let bitmap = try draw(
            "<!-- <rect systemLanguage='tlh' --><style><![CDATA[ .a{fill:#f00} /* transform-origin </g> */ ]]></style>"
                + "<g transform-origin='center'><rect class='a' width='20' height='20' points='&#52;'/></g>"
        )
        #expect(bitmap[10, 10] == red)
    }
}
