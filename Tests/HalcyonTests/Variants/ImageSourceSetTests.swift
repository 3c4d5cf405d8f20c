import FoundationEssentials
import Testing

@testable import Halcyon

@Suite("A set of sources")
struct ImageSourceSetTests {
    @Test(
        "by widths chooses the smallest image with enough pixels, else the largest",
        arguments: [
            (100.0, 1.0, "s"), (480, 1, "s"), (480.5, 1, "m"), (240, 2, "s"), (400, 2, "m"), (960, 1, "m"),
            (961, 1, "l"),
            (1_000, 2, "l"), (5_000, 3, "l"), (0, 1, "s"), (-1, 1, "s"), (.nan, .nan, "s"), (480, 0, "s"),
            (.infinity, 1, "l"), (100, .infinity, "l"),
        ]
    )
    func widths(width: Double, scale: Double, expected: String) {
        let set = ImageSourceSet(srcset: "m 960w, s 480w, l 1920w")
        #expect(set.candidate(width: width, scale: scale)?.url == expected)
    }

    @Test(
        "by densities chooses by the scale alone",
        arguments: [(0.5, "a"), (1.0, "a"), (1.25, "b"), (1.5, "b"), (2, "c"), (3, "c"), (0, "a")]
    )
    func densities(scale: Double, expected: String) {
        let set = ImageSourceSet(srcset: "a, c 2x, b 1.5x")
        for width in [1.0, 4_000] { #expect(set.candidate(width: width, scale: scale)?.url == expected) }
    }

    @Test("of several with one density chooses the first")
    func equal() {
        #expect(ImageSourceSet(srcset: "a 2x, b 2x").candidate(width: 1, scale: 2)?.url == "a")
        #expect(ImageSourceSet(srcset: "a 2x, b 2x").candidate(width: 1, scale: 3)?.url == "a")
        #expect(ImageSourceSet(srcset: "a 100w, b 100w").candidate(width: 500)?.url == "a")
    }

    @Test(
        "has the image of `src` as well, unless there is one of its density or a width",
        arguments: [
            ("", "s", ["s"]), ("a 2x", "s", ["a", "s"]), ("a 1x", "s", ["a"]), ("a", "s", ["a"]),
            ("a 100w", "s", ["a"]),
            ("a 2x", "", ["a"]), ("a 2x", nil, ["a"]), ("a 1q", "s", ["s"]),
        ] as [(String, String?, [String])]
    )
    func defaultSource(srcset: String, src: String?, expected: [String]) {
        #expect(ImageSourceSet(srcset: srcset, src: src).candidates.map(\.url) == expected)
    }

    @Test("gives the source of a URL that may be relative")
    func source() throws {
        let page = try #require(URL(string: "https://a.test/b/page.html?q#f"))
        let cases = [
            ("c.jpg 1x", "https://a.test/b/c.jpg"), ("/c.jpg 1x", "https://a.test/c.jpg"),
            ("//d.test/c.jpg", "https://d.test/c.jpg"), ("../c.jpg?x=1,2", "https://a.test/c.jpg?x=1,2"),
            ("http://e.test/c.jpg", "http://e.test/c.jpg"), ("\u{1}c.jpg\u{B} 1x", "https://a.test/b/c.jpg"),
            ("//münchen.test/c.jpg", "https://xn--mnchen-3ya.test/c.jpg"),
        ]
        for (srcset, expected) in cases {
            let url = try #require(URL(string: expected))
            #expect(ImageSourceSet(srcset: srcset).source(width: 1, relativeTo: page) == .url(url))
        }
        let data = "data:image/png;base64,QUJD"
        #expect(ImageSourceSet(srcset: data).source(width: 1, relativeTo: page) == .dataURL(data))
        #expect(ImageSourceSet(srcset: "").source(width: 1, relativeTo: page) == nil)
        #expect(ImageSourceSet([]).candidate(width: 1) == nil)
    }

    @Test("of a page of the web names no files of this machine", arguments: ["file:///a.png", "FILE:/a.png"])
    func files(text: String) async throws {
        let page = try #require(URL(string: "https://a.test/page.html"))
        let source = try #require(ImageSourceSet(srcset: text).source(width: 1, relativeTo: page))
        let error = try await TestPipeline().pipeline.task(for: ImageRequest(source)).failure()
        #expect(error.reason == .invalidURL(text))
    }

    @Test("of a file names other files")
    func localFiles() throws {
        let set = ImageSourceSet(srcset: "file:///a.png")
        let page = try #require(URL(string: "file:///page.html"))
        #expect(set.source(width: 1, relativeTo: page) == .file("/a.png"))
        #expect(set.source(width: 1) == .file("/a.png"))
    }

    @Test("whose image is no URL gives a source whose loads fail with that")
    func invalid() async throws {
        let source = try #require(ImageSourceSet(srcset: "c.jpg").source(width: 1))
        let error = try await TestPipeline().pipeline.task(for: ImageRequest(source)).failure()
        #expect(error.reason == .invalidURL("c.jpg"))
    }
}
