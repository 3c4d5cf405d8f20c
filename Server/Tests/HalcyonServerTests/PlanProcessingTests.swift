import FoundationEssentials
import Halcyon
import HalcyonStore
import HalcyonTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("The images of plans")
final class PlanProcessingTests: Sendable {
    private let transport = ScriptedTransport()
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "plans-\(UInt64.random(in: 0 ... .max))"
    ).path
    private let pipeline: ImagePipeline
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://origin.test/cat"))
        pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: transport),
                cache: ImageCache(disk: DiskCache.Configuration(folder: folder)),
                codecs: .server
            )
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func serve(_ bitmap: Bitmap, as format: ImageFormat = .png) throws {
        let bytes = try ImageCodecs.standard.encode(bitmap, as: format, options: EncodeOptions(quality: 95))
        transport.setRoute(url, .init(body: bytes))
    }

    private static let filterCases: [(String, @Sendable (Color) -> Bool)] = [
        ("grayscale", { abs($0.red - $0.blue) < 0.01 }), ("invert", { $0.red < 0.15 && $0.blue > 0.85 }),
        ("brightness:-1", { $0.red == 0 && $0.blue == 0 }), ("contrast:0", { abs($0.red - 0.5) < 0.01 }),
        ("saturation:0", { abs($0.red - $0.blue) < 0.01 }), ("exposure:-10", { $0.red < 0.05 }),
        ("hue:120", { $0.green > $0.red }),
        ("sepia", { $0.red > $0.green && $0.green > $0.blue }), ("tint:0f0", { $0.green == 1 && $0.red == 0 }),
        ("overlay:00f:0", { $0.blue == 1 && $0.red == 0 }), ("opacity:0.5/f:png", { abs($0.alpha - 0.5) < 0.01 }),
        ("blur:2", { $0.red > 0.85 }), ("sharpen", { $0.red > 0.85 }), ("border:40:0f0", { $0.green == 1 }),
        ("opacity:0/bg:00f", { $0.blue == 1 && $0.alpha == 1 }),
    ]

    /// Returns the image of options of the server's own URLs.
    private func encoded(_ options: String, watermark: ServerWatermark? = nil) async throws -> EncodedImage {
        var rules = URLRules { 0 }
        rules.allowsUnsigned = true
        rules.hasWatermark = watermark != nil
        rules.formats["pam"] = "pam"
        let plan = try HalcyonURL(path: "/unsafe/\(options)/plain/https://origin.test/cat").plan(by: rules)
        let changes = plan.loadOptions + [.processor(plan.processors(watermark: watermark, largestSide: 1_000))]
        return try await pipeline.encoded(
            for: ImageRequest(url, options: changes),
            as: OutputFormats().rule(plan, accept: "image/png")
        )
    }

    private func bitmap(_ options: String, watermark: ServerWatermark? = nil) async throws -> Bitmap {
        try ImageCodecs.standard.decode(await encoded(options, watermark: watermark).data).bitmap
    }

    @Test(
        "A size is the one that the URL says",
        arguments: [
            ("w:100", PixelSize(100, 50)), ("h:20", PixelSize(40, 20)), ("w:100/h:100", PixelSize(100, 50)),
            ("w:100/h:100/fit:fill", PixelSize(100, 100)), ("w:100/h:90/fit:stretch", PixelSize(100, 90)),
            ("w:100/h:100/fit:pad", PixelSize(100, 100)), ("w:800", PixelSize(400, 200)),
            ("w:800/enlarge", PixelSize(800, 400)),
            ("w:50/dpr:2", PixelSize(100, 50)), ("w:100/h:100/fit:fill/g:smart", PixelSize(100, 100)),
            ("w:100/h:100/fit:fill/g:focus:0.2:0.5", PixelSize(100, 100)), ("crop:10:10:40:30", PixelSize(40, 30)),
            ("part:0.5:0:0.5:1/w:100", PixelSize(100, 100)), ("rotate:90/w:100", PixelSize(100, 200)),
            ("rotate:30/w:100", PixelSize(112, 94)),
            ("w:100/padding:1:2:3:4", PixelSize(106, 54)), ("w:100/padding:1/dpr:2", PixelSize(204, 104)),
            ("circle/w:100", PixelSize(50, 50)),
            ("w:100/pixelate:8", PixelSize(100, 50)),
        ]
    )
    func sizes(_ options: String, _ expected: PixelSize) async throws {
        try serve(TestImage.bitmap(400, 200, PixelRect(x: 0, y: 0, width: 200, height: 200)))
        #expect(try await encoded(options).size == expected)
    }

    @Test(
        "A large JPEG is decoded no larger than a size with a smart gravity needs",
        arguments: ["g:smart", "g:focus:0.1:0.1"]
    )
    func reduced(_ gravity: String) async throws {
        try serve(TestImage.bitmap(1_600, 800, PixelRect(x: 1_200, y: 200, width: 300, height: 300)), as: .jpeg)
        let bitmap = try await bitmap("w:100/h:100/fit:fill/\(gravity)")
        #expect(bitmap.size == PixelSize(100, 100))
        // The dark square is in the right half, which the smart gravity finds.
        let isDark = bitmap.colors(in: PixelRect(size: bitmap.size)).contains { $0.red < 0.2 }
        #expect(isDark == (gravity == "g:smart"))
    }

    @Test("A fill keeps the part that its gravity names")
    func gravity() async throws {
        try serve(TestImage.bitmap(400, 200, PixelRect(x: 0, y: 0, width: 200, height: 200)))
        for (gravity, color) in [
            ("left", Color.black), ("right", .white), ("focus:0:0.5", .black), ("focus:1:0.5", .white),
        ] {
            let bitmap = try await bitmap("w:50/h:50/fit:fill/f:png/g:\(gravity)")
            #expect(bitmap.color(at: PixelPoint(25, 25)) == color, "\(gravity)")
        }
    }

    @Test(
        "Each filter changes what it says",
        arguments: filterCases
    )
    func filters(_ option: String, _ isExpected: @Sendable (Color) -> Bool) async throws {
        try serve(TestImage.bitmap(80, 60, background: Color(red: 0.9, green: 0.3, blue: 0.1)))
        let color = try #require(try await bitmap(option).color(at: PixelPoint(40, 30)))
        #expect(isExpected(color), "\(color)")
    }

    @Test("Lengths of filters grow with the density")
    func density() async throws {
        try serve(TestImage.bitmap(80, 60))
        let bitmap = try await bitmap("w:40/dpr:2/border:4:000")
        #expect(bitmap.color(at: PixelPoint(7, 30)) == .black && bitmap.color(at: PixelPoint(9, 30)) == .white)
    }

    @Test("Round corners are transparent, and white in a JPEG")
    func round() async throws {
        try serve(TestImage.bitmap(80, 60, background: .black))
        #expect(try await bitmap("round:20/f:png").color(at: PixelPoint(0, 0))?.alpha == 0)
        let corner = try #require(try await bitmap("round:20/f:jpeg/q:100").color(at: PixelPoint(0, 0)))
        #expect(corner.red > 0.9)
    }

    @Test("A watermark is at its place, away from the edges, or everywhere")
    func watermark() async throws {
        try serve(TestImage.bitmap(80, 60))
        let mark = ServerWatermark(
            image: WatermarkImage(try TestImage.bitmap(10, 10, background: .black)),
            tag: "black"
        )
        func darkPixels(_ options: String) async throws -> Set<PixelPoint> {
            let bitmap = try await bitmap("f:png/watermark:\(options)", watermark: mark)
            return Set(
                [PixelPoint(5, 5), PixelPoint(40, 30), PixelPoint(75, 55), PixelPoint(65, 45)].filter {
                    bitmap.color(at: $0) == .black
                }
            )
        }
        #expect(try await darkPixels("1") == [PixelPoint(40, 30)])
        #expect(try await darkPixels("1:soea") == [PixelPoint(75, 55)])
        #expect(try await darkPixels("1:soea:10:10") == [PixelPoint(65, 45)])
        // An eighth of the width, and a sixth of the height.
        #expect(try await darkPixels("1:soea:0.125:0.167") == [PixelPoint(65, 45)])
        #expect(try await darkPixels("1:nowe:0.5:0.5") == [PixelPoint(40, 30)])
        #expect(try await darkPixels("1:re:0:0").count == 4)
        #expect(try await darkPixels("0").isEmpty)
    }

    @Test("Every frame of an animation is changed, and the frames stay")
    func animation() async throws {
        let frames = [try TestImage.bitmap(40, 30), try TestImage.bitmap(40, 30, background: .black)]
        let bytes = try ImageCodecs.standard.encode(
            frames.map { AnimationFrame(bitmap: $0, duration: 100) },
            as: .gif,
            loopCount: 0,
            options: EncodeOptions(),
            isCancelled: { false }
        )
        transport.setRoute(url, .init(body: bytes))
        for options in ["w:20", "w:20/h:20/fit:fill/g:smart", "w:20/h:20/fit:pad", "trim/w:20"] {
            let image = try await encoded(options + "/f:gif")
            let info = try ImageCodecs.standard.info(of: image.data)
            #expect(info.frameCount == 2 && info.size.width == 20, "\(options)")
        }
    }

    @Test("One frame, and the first of an animation, are still images")
    func frames() async throws {
        let frames = [try TestImage.bitmap(40, 30), try TestImage.bitmap(40, 30, background: .black)]
        let bytes = try ImageCodecs.standard.encode(
            frames.map { AnimationFrame(bitmap: $0, duration: 100) },
            as: .gif,
            loopCount: 0,
            options: EncodeOptions(),
            isCancelled: { false }
        )
        transport.setRoute(url, .init(body: bytes))
        for (options, color) in [("frame:1/f:gif", Color.black), ("frame:0/f:gif", .white), ("still/f:gif", .white)] {
            let data = try await encoded("w:20/" + options).data
            #expect(try ImageCodecs.standard.info(of: data).frameCount == 1, "\(options)")
            #expect(try ImageCodecs.standard.decode(data).bitmap.color(at: PixelPoint(2, 2)) == color, "\(options)")
        }
    }

    @Test("Equal plans are one entry of the cache, however their URLs are written")
    func identity() async throws {
        try serve(TestImage.bitmap(80, 60))
        let first = try await encoded("w:20/grayscale/f:png")
        let second = try await encoded("grayscale/f:png/width:20")
        #expect(first.source == .network && second.source == .memory)
        // What differs only in a part that a processor of the server's own reads is another image.
        _ = try await encoded("w:20/h:20/fit:fill/g:focus:0:0/f:png")
        #expect(try await encoded("w:20/h:20/fit:fill/g:focus:1:0/f:png").source != .memory)
    }

    @Test("A description and a ThumbHash are made of the same bytes")
    func description() async throws {
        try serve(TestImage.bitmap(80, 60))
        let image = try await encoded("format:info")
        _ = try ThumbHash(image.data)
        _ = try BlurHash(String(decoding: await encoded("format:blurhash").data, as: UTF8.self))
        #expect(image.format == .thumbHash && image.originalInfo.displaySize == PixelSize(80, 60))
    }

    @Test("The quality is that of the URL, of the format, or of the server, in this order")
    func qualities() throws {
        var formats = OutputFormats()
        formats.qualities = [.webp: 11]
        var output = ImagePlan.Output()
        #expect(formats.options(.webp, output, background: nil).quality == 11)
        output.quality = 22
        #expect(formats.options(.webp, output, background: nil).quality == 22)
        output.qualities = ["webp": 33]
        #expect(formats.options(.webp, output, background: nil).quality == 33)
        #expect(formats.options(.avif, output, background: nil).quality == 22)
        output.isLossless = true
        #expect(formats.options(.webp, output, background: nil).quality == nil)
        output.maximumByteCount = 9
        #expect(formats.options(.jpeg, output, background: nil).maximumByteCount == 9)
        #expect(formats.options(.png, output, background: nil).maximumByteCount == nil)
    }
}
