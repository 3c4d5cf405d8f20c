import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

/// Images of 400 × 300 pixels, whose top left quarter is black and whose other pixels are white.
@Suite("The images of each dialect")
struct DialectImageTests {
    private static let rules: URLRules = {
        var rules = URLRules { 0 }
        rules.allowsUnsigned = true
        rules.hasWatermark = true
        return rules
    }()

    private func halcyon(_ options: String) throws -> Bitmap {
        try bitmap(HalcyonURL(path: "/unsafe/\(options)/plain/https://a.test/b").plan(by: Self.rules))
    }

    private func imgproxy(_ options: String) throws -> Bitmap {
        try bitmap(ImgproxyURL(path: "/_/\(options)/plain/https://a.test/b").plan(by: Self.rules))
    }

    private func thumbor(_ options: String) throws -> Bitmap {
        try bitmap(ThumborURL(path: "/unsafe/\(options)/https://a.test/b").plan(by: Self.rules))
    }

    private func bitmap(_ plan: ImagePlan) throws -> Bitmap {
        let bitmap = try TestImage.bitmap(400, 300, PixelRect(x: 0, y: 0, width: 200, height: 150))
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        let mark = ServerWatermark(
            image: WatermarkImage(try TestImage.bitmap(20, 20, background: Color(red: 1, green: 0, blue: 0))),
            tag: "red"
        )
        let chain = plan.processors(watermark: mark, largestSide: 8_192)
        return try chain.process(image).bitmap
    }

    @Test(
        "A density that the image has no pixels for keeps the ratio, and lengths keep theirs to the image",
        arguments: [
            ("rs:fill:300:300/dpr:2", PixelSize(300, 300)), ("rs:fit:200:0/dpr:4/pd:10", PixelSize(440, 340)),
            ("rs:fit:200:0/dpr:4/pd:10/el:1", PixelSize(880, 680)), ("rs:fit:300:300/dpr:2/ex:1", PixelSize(400, 400)),
            ("dpr:2/pd:10", PixelSize(420, 320)), ("dpr:2/el:1", PixelSize(800, 600)), ("dpr:0.5", PixelSize(200, 150)),
            ("rs:fill:100:100/dpr:2/pd:5", PixelSize(220, 220)), ("rs:fill:600:600/dpr:2", PixelSize(400, 300)),
        ]
    )
    func density(_ options: String, _ size: PixelSize) throws {
        #expect(try imgproxy(options).size == size)
    }

    @Test("Two zooms are factors of the fitted image")
    func zoom() throws {
        #expect(try imgproxy("w:100/z:2:1").size == PixelSize(200, 75))
        #expect(try imgproxy("rs:fit:200:200/z:0.5:1").size == PixelSize(100, 150))
    }

    @Test("The server's own URLs limit the density in the same way")
    func ownDensity() throws {
        #expect(try halcyon("w:300/h:300/fit:fill/dpr:2").size == PixelSize(300, 300))
        #expect(try halcyon("w:200/padding:10/dpr:4").size == PixelSize(440, 340))
        #expect(try halcyon("w:100/padding:10/dpr:2").size == PixelSize(240, 190))
    }

    @Test("The limited density is that of effects and watermarks, too")
    func limitedLengths() throws {
        let red = Color(red: 1, green: 0, blue: 0)
        let marked = try imgproxy("rs:fit:200:0/dpr:8/wm:1:nowe:50:50")
        #expect(marked.color(at: PixelPoint(101, 101)) == red && marked.color(at: PixelPoint(99, 99)) == .black)
        let bordered = try halcyon("w:200/dpr:8/border:10:f00")
        #expect(bordered.color(at: PixelPoint(18, 18)) == red && bordered.color(at: PixelPoint(22, 22)) == .black)
    }

    @Test("Densities whose limits differ are other entries of the cache")
    func densityKeys() throws {
        func chain(_ options: String) throws -> ImageProcessorChain {
            try ImgproxyURL(path: "/_/\(options)/plain/https://a.test/b").plan(by: Self.rules)
                .processors(watermark: nil, largestSide: 8_192)
        }
        let options = ["bl:1", "bl:2", "pd:1", "pd:2", "ex:1", "ex:1:nowe", "pd:1/bg:fff", "pix:4"]
        let chains = Set(try options.map { try chain("w:200/dpr:4/\($0)") } + [chain("w:200/dpr:3/pd:1")])
        #expect(chains.count == options.count + 1)
        #expect(try chain("pd:1/w:200/dpr:4") == chain("w:200/dpr:4/pd:1"))
    }

    @Test(
        "A forced size is not enlarged, and keeps the ratio of its sides",
        arguments: [
            ("rs:force:800:100", PixelSize(400, 50)), ("rs:force:3000:100", PixelSize(400, 13)),
            ("rs:force:800:100:1", PixelSize(800, 100)), ("rs:force:200:100", PixelSize(200, 100)),
            ("rs:force:200:0", PixelSize(200, 300)),
        ]
    )
    func force(_ options: String, _ size: PixelSize) throws {
        #expect(try imgproxy(options).size == size)
    }

    @Test("One side that is stretched leaves the other to the ratio, and a fitted image is not stretched")
    func stretch() throws {
        #expect(try halcyon("w:300/fit:stretch").size == PixelSize(300, 225))
        #expect(try halcyon("w:800/h:100/fit:stretch").size == PixelSize(400, 100))
        #expect(try thumbor("300x0/filters:stretch()").size == PixelSize(300, 225))
        #expect(try thumbor("300x100/filters:stretch()").size == PixelSize(300, 100))
        #expect(try thumbor("fit-in/200x200/filters:stretch()").size == PixelSize(200, 150))
    }

    @Test("An image that fits around a size of thumbor grows to it")
    func fullFitIn() throws {
        #expect(try thumbor("full-fit-in/600x600").size == PixelSize(800, 600))
        #expect(try thumbor("full-fit-in/200x200").size == PixelSize(267, 200))
    }

    @Test("imgproxy cuts a part out of the turned image")
    func turnedCrop() throws {
        #expect(try imgproxy("c:100:50/rot:90").size == PixelSize(100, 50))
        // The black quarter is at the top right then.
        #expect(try imgproxy("c:100:50:noea/rot:90").color(at: PixelPoint(50, 25)) == .black)
        #expect(try imgproxy("c:100:50:nowe/rot:90").color(at: PixelPoint(50, 25)) == .white)
        #expect(try halcyon("crop:0:0:100:50/rotate:90").size == PixelSize(50, 100))
    }

    @Test("thumbor flips what it has cut, and imgproxy cuts what it has flipped")
    func flip() throws {
        #expect(try thumbor("-100x300/left/top").color(at: PixelPoint(50, 20)) == .black)
        #expect(try imgproxy("rs:fill:100:300/g:nowe/fl:1").color(at: PixelPoint(50, 20)) == .white)
    }

    @Test("A larger area has the middle of the image at its focus, as far as its edges allow")
    func focusOfExtension() throws {
        func alpha(_ gravity: String) throws -> [Double?] {
            let bitmap = try imgproxy("rs:fit:600:600/ex:1:\(gravity)")
            return [PixelPoint(300, 10), PixelPoint(300, 590)].map { bitmap.color(at: $0)?.alpha }
        }
        #expect(try alpha("fp:0:0") == [1, 0])
        #expect(try alpha("fp:1:1") == [0, 1])
        #expect(try alpha("fp:0.5:0.5") == [0, 0])
        #expect(try imgproxy("rs:fit:600:600/ex:1:fp:0:0").color(at: PixelPoint(10, 10)) == .black)
    }

    @Test("thumbor ignores a crop that misses the image, and an own one is an error that names it")
    func missingCrop() throws {
        #expect(try thumbor("500x500:600x600").size == PixelSize(400, 300))
        #expect(try thumbor("300x200:900x900").size == PixelSize(100, 100))
        let error = #expect(throws: OutsideOfImage.self) { try halcyon("crop:500:0:10:10") }
        #expect(error?.description.contains("crop") == true)
    }
}
