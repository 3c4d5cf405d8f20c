import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An address with variables")
struct ImageURLTemplateTests {
    @Test(
        "is filled with the size",
        arguments: [
            ("https://a.test/x?w={width}&h={height}&dpr={scale}", "https://a.test/x?w=320&h=241&dpr=1.5"),
            ("https://a.test/{pixelWidth}x{pixelHeight}/x.jpg", "https://a.test/481x361/x.jpg"),
            ("https://a.test/{width}/{width}", "https://a.test/320/320"), ("https://a.test/x", "https://a.test/x"),
            ("https://a.test/é?{width}", "https://a.test/%C3%A9?320"), ("file:///a/{scale}x.png", "file:///a/1.5x.png"),
            (" http://münchen.test/{width}\n", "http://xn--mnchen-3ya.test/320"),
        ]
    )
    func filled(text: String, expected: String) throws {
        let template = try ImageURLTemplate(text)
        #expect(template.url(width: 320.4, height: 240.5, scale: 1.5)?.absoluteString == expected)
        #expect(template.description == text)
    }

    @Test(
        "writes scales in their shortest form",
        arguments: [
            (1.0, "1"), (2, "2"), (1.5, "1.5"), (1.25, "1.25"), (1.333, "1.33"), (2.999, "3"), (1.05, "1.05"),
            (0, "0.1"),
            (-2, "0.1"), (.nan, "1"), (.infinity, "1"), (1e9, "16"),
        ]
    )
    func scales(scale: Double, expected: String) throws {
        let template = try ImageURLTemplate("https://a.test/{scale}")
        #expect(template.url(width: 1, height: 1, scale: scale)?.lastPathComponent == expected)
    }

    @Test(
        "limits sizes to what an image can have",
        arguments: [
            (0.0, "1"), (-5, "1"), (.nan, "1"), (0.4, "1"), (1.5, "2"), (99.49, "99"), (1e300, "65535"),
            (.infinity, "65535"), (65_535, "65535"),
        ]
    )
    func sides(width: Double, expected: String) throws {
        let template = try ImageURLTemplate("https://a.test/{width}")
        #expect(template.url(width: width, height: 1)?.lastPathComponent == expected)
    }

    @Test(
        "rounds sizes up to its step, so that views of nearly the same size load one image",
        arguments: [(1.0, 50, "50"), (50, 50, "50"), (51, 50, "100"), (320, 64, "320"), (7, 0, "7"), (7, -3, "7")]
    )
    func steps(width: Double, step: Int, expected: String) throws {
        let template = try ImageURLTemplate("https://a.test/{width}", step: step)
        #expect(template.url(width: width, height: 1)?.lastPathComponent == expected)
        #expect(try ImageURLTemplate("https://a.test/{width}", step: .max).url(width: 1, height: 1) != nil)
    }

    @Test(
        "that is malformed is an error that tells where",
        arguments: [
            ("https://a.test/{width", ImageURLTemplateError.unmatchedBrace(offset: 15)),
            ("https://a.test/width}", .unmatchedBrace(offset: 20)), ("https://é/}{", .unmatchedBrace(offset: 11)),
            ("https://a.test/{}", .unknownVariable("")), ("https://a.test/{Width}", .unknownVariable("Width")),
            ("https://a.test/{{width}}", .unknownVariable("{width")), ("", .invalidURL("")),
        ]
    )
    func malformed(text: String, expected: ImageURLTemplateError) {
        #expect(throws: expected) { try ImageURLTemplate(text) }
        #expect(!expected.description.isEmpty)
    }

    @Test("gives a source for each size")
    func source() throws {
        let template = try ImageURLTemplate("https://a.test/{pixelWidth}.jpg")
        let url = try #require(URL(string: "https://a.test/640.jpg"))
        #expect(template.source(width: 320, height: 1, scale: 2) == .url(url))
        #expect(template == (try ImageURLTemplate("https://a.test/{pixelWidth}.jpg")))
    }
}
