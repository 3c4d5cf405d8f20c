import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonTesting
import HummingbirdTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("Images of a server")
struct ImageAnswerTests {
    private func decoded(_ response: TestResponse) throws -> DecodedImage {
        try ImageCodecs.standard.decode(Data(buffer: response.body))
    }

    @Test("A signed URL gives the image at its size, in the best format that the client accepts")
    func negotiated() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let path = try fixture.path(["w:20"])
        let webp = try await fixture.answer(path, [.accept: "image/webp,*/*;q=0.8"])
        #expect(webp.status == .ok)
        #expect(webp.headers[.contentType] == "image/webp")
        #expect(webp.headers[.vary] == "Accept")
        #expect(try decoded(webp).size == PixelSize(20, 15))
        let other = try await fixture.answer(path, [.accept: "image/png"])
        #expect(other.headers[.contentType] == "image/png")
        #expect(other.headers[.eTag] != webp.headers[.eTag])
        #expect(fixture.transport.startedCount == 1)
    }

    @Test("Vary names Accept on every negotiated answer, errors too, and on no other")
    func vary() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        #expect(try await fixture.answer(fixture.path(["w:20"])).headers[.vary] == "Accept")
        #expect(try await fixture.answer(fixture.path(["w:20", "f:png"])).headers[.vary] == nil)
        let none = try #require(URL(string: "https://origin.test/none.png"))
        fixture.transport.setRoute(none, .init(status: 404))
        let missing = try await fixture.answer(fixture.path(["w:20"], none.absoluteString))
        #expect(missing.status != .ok)
        #expect(missing.headers[.vary] == "Accept")
    }

    @Test("An animation stays one, also for a client that names no format with animation, and a frame of it is still")
    func animation() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.animation())
        let any = try await fixture.answer(fixture.path(["w:20"]), [.accept: "*/*"])
        #expect(any.headers[.contentType] == "image/gif")
        let webp = try await fixture.answer(fixture.path(["w:20", "f:webp"]))
        let info = try ImageCodecs.standard.info(of: Data(buffer: webp.body))
        #expect(info.isAnimated && info.size == PixelSize(20, 15))
        let still = try await fixture.answer(fixture.path(["w:20", "f:webp", "still"]))
        #expect(try !ImageCodecs.standard.info(of: Data(buffer: still.body)).isAnimated)
        let second = try await fixture.answer(fixture.path(["f:png", "frame:1"]))
        #expect(try decoded(second).bitmap.color(at: PixelPoint(2, 2)) == .black)
    }

    @Test("Quality and the most bytes bound the answer")
    func bytes() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve(
            "https://origin.test/cat.png",
            ImageCodecs.standard.encode(TestImage.noise(128, 128), as: .png)
        )
        let large = try await fixture.answer(fixture.path(["f:jpeg", "q:95"])).body.readableBytes
        let small = try await fixture.answer(fixture.path(["f:jpeg", "q:30"])).body.readableBytes
        #expect(small < large)
        #expect(
            try await fixture.answer(fixture.path(["f:jpeg", "q:95", "max-bytes:\(large / 2)"])).body.readableBytes
                <= large / 2
        )
    }

    @Test("A number of bytes that no quality fits into gives the lowest quality")
    func tooFewBytes() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve(
            "https://origin.test/cat.png",
            ImageCodecs.standard.encode(TestImage.noise(128, 128), as: .png)
        )
        let smallest = try await fixture.answer(fixture.path(["f:jpeg", "q:1"]))
        let answer = try await fixture.answer(fixture.path(["f:jpeg", "max-bytes:10"]))
        #expect(answer.status == .ok)
        #expect(answer.body.readableBytes == smallest.body.readableBytes)
    }

    @Test("A client that accepts GIF alone gets an animation as one")
    func animationAsGIF() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.animation())
        let answer = try await fixture.answer(fixture.path(["w:20"]), [.accept: "image/gif"])
        #expect(answer.headers[.contentType] == "image/gif")
        #expect(try ImageCodecs.standard.info(of: Data(buffer: answer.body)).isAnimated)
        let alone = try await ServerFixture { $0.offers = [] }
        try alone.serve("https://origin.test/cat.png", ServerFixture.animation())
        #expect(try await alone.answer(alone.path(["w:20"])).headers[.contentType] == "image/gif")
        #expect(try await fixture.answer(fixture.path(["w:20"]), [.accept: "image/none"]).status == .notAcceptable)
    }

    @Test("A part that the image does not have is refused by the name of its option")
    func missingCrop() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let answer = try await fixture.answer(fixture.path(["crop:500:0:10:10"]))
        #expect(answer.status == .unprocessableContent)
        #expect(String(buffer: answer.body).contains("“crop”"))
    }

    @Test("BlurHash and ThumbHash are text, and /info is JSON for the same signature")
    func descriptions() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let blurHash = try await fixture.answer(fixture.path(["format:blurhash"]))
        #expect(blurHash.headers[.contentType] == "text/plain; charset=utf-8")
        _ = try BlurHash(String(buffer: blurHash.body))
        let thumbHash = try await fixture.answer(fixture.path(["format:thumbhash"]))
        _ = try ThumbHash(base64: String(buffer: thumbHash.body))
        let info = try await fixture.answer("/info" + fixture.path([]))
        #expect(info.headers[.contentType] == "application/json")
        let description = try JSONDecoder().decode(ImageDescription.self, from: Data(buffer: info.body))
        #expect(description.format == "png" && description.width == 64 && description.height == 48)
        #expect(description.frames == 1 && !description.isAnimated && description.orientation == 1)
        #expect(try description.bytes == ServerFixture.png().count)
        _ = try ThumbHash(base64: description.thumbHash)
    }

    @Test(
        "Hints choose among the server's widths, up to the signed one, and are ignored where the URL does not allow them"
    )
    func hints() async throws {
        let fixture = try await ServerFixture { $0.widths = [20, 40, 60] }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png(400, 300))
        let width = try #require(HTTPField.Name("Sec-CH-Width"))
        let density = try #require(HTTPField.Name("Sec-CH-DPR"))
        func size(_ options: [String], _ headers: HTTPFields, _ query: String = "") async throws -> PixelSize {
            let response = try await fixture.answer(fixture.path(options + ["f:png"]) + query, headers)
            #expect(
                (response.headers[.vary]?.contains("Sec-CH-Width") == true)
                    == options.contains { $0.hasPrefix("responsive") }
            )
            return try decoded(response).size
        }
        #expect(try await size(["w:20", "responsive:48"], [width: "25"]) == PixelSize(40, 30))
        #expect(try await size(["w:20", "responsive:48"], [width: "4000"]) == PixelSize(48, 36))
        #expect(try await size(["w:20", "responsive:48"], [density: "2"]) == PixelSize(40, 30))
        #expect(try await size(["w:20", "responsive:48"], [:], "?dpr=2") == PixelSize(40, 30))
        #expect(
            try await size(["w:20", "h:10", "fit:stretch", "responsive:48"], [:], "?width=40") == PixelSize(40, 20)
        )
        #expect(try await size(["w:20", "responsive:48"], [:]) == PixelSize(20, 15))
        #expect(try await size(["w:20", "responsive:48"], [width: "x"]) == PixelSize(20, 15))
        #expect(try await size(["w:20"], [width: "60"], "?width=60") == PixelSize(20, 15))
    }

    @Test("Lengths keep their ratio to the width that a hint chooses")
    func hintedLengths() {
        var plan = ImagePlan(source: "a")
        (plan.size.width, plan.size.density, plan.output.largestHintedWidth) = (.pixels(20), 2, 100)
        func hinted() -> ImagePlan.Size {
            ClientHints(width: 80).applied(to: plan, widths: [80], largestSide: 100).size
        }
        #expect(hinted().width == .pixels(20) && hinted().density == 4)
        plan.size.height = .pixels(30)
        #expect(hinted() == plan.size)
        (plan.size.width, plan.size.height) = (.free, .free)
        #expect(hinted().width == .pixels(80) && hinted().density == 1)
    }

    @Test("A partial image goes out with a short lifetime")
    func partial() async throws {
        let fixture = try await ServerFixture()
        let whole = try ImageCodecs.standard.encode(TestImage.noise(200, 200), as: .png)
        try fixture.serve(
            "https://origin.test/cat.png",
            whole.prefix(whole.count * 2 / 3),
            headers: [.cacheControl: "max-age=86400"]
        )
        let response = try await fixture.answer(fixture.path(["w:20"]))
        #expect(response.status == .ok)
        #expect(response.headers[.cacheControl] == "public, max-age=10")
    }

    @Test("The bytes of a source are sent as they are where imgproxy's URL asks for that, if they are an image")
    func raw() async throws {
        let fixture = try await ServerFixture {
            $0.imgproxy = $0.urls
            $0.imgproxy?.keys = SigningKeys()
            $0.imgproxy?.allowsUnsigned = true
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        try fixture.serve("https://origin.test/page.html", Data("<script>".utf8))
        let raw = try await fixture.answer("/imgproxy/_/raw:1/w:10/plain/https://origin.test/cat.png")
        #expect(try Data(buffer: raw.body) == ServerFixture.png())
        #expect(raw.headers[.contentType] == "image/png")
        #expect(raw.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
        let skipped = try await fixture.answer("/imgproxy/_/skp:png/w:10/f:png/plain/https://origin.test/cat.png")
        #expect(try Data(buffer: skipped.body) == ServerFixture.png())
        let page = try await fixture.answer("/imgproxy/_/raw:1/plain/https://origin.test/page.html")
        #expect(page.status == .unprocessableContent)
    }

    @Test("The bytes of a source have the rules of its server", arguments: ["raw:1", "skp:png/f:png"])
    func rawCaching(_ options: String) async throws {
        let fixture = try await ServerFixture {
            $0.imgproxy = $0.urls
            $0.imgproxy?.keys = SigningKeys()
            $0.imgproxy?.allowsUnsigned = true
        }
        for (rules, expected) in [("no-store", "no-store"), ("private, max-age=60", "private, max-age=")] {
            let source = "https://origin.test/\(rules.prefix(2)).png"
            try fixture.serve(source, ServerFixture.png(), headers: [.cacheControl: rules])
            let response = try await fixture.answer("/imgproxy/_/\(options)/plain/\(source)")
            #expect(try Data(buffer: response.body) == ServerFixture.png())
            #expect(response.headers[.cacheControl]?.hasPrefix(expected) == true)
        }
    }

    @Test("The bytes of a source are sent in the place of a negotiated format only where they have that")
    func skippedByAccept() async throws {
        let fixture = try await ServerFixture {
            $0.imgproxy = $0.urls
            $0.imgproxy?.keys = SigningKeys()
            $0.imgproxy?.allowsUnsigned = true
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let path = "/imgproxy/_/skp:png/w:10/plain/https://origin.test/cat.png"
        let webp = try await fixture.answer(path, [.accept: "image/webp"])
        #expect(try webp.headers[.contentType] == "image/webp" && decoded(webp).size.width == 10)
        let png = try await fixture.answer(path, [.accept: "image/png"])
        #expect(try Data(buffer: png.body) == ServerFixture.png())
    }

    @Test("A dialect that is not configured is not answered")
    func dialects() async throws {
        let fixture = try await ServerFixture()
        #expect(try await fixture.answer("/imgproxy/_/w:10/plain/https://origin.test/cat.png").status == .badRequest)
        #expect(try await fixture.answer("/thumbor/unsafe/10x10/origin.test/cat.png").status == .badRequest)
        let thumbor = try await ServerFixture {
            $0.thumbor = $0.urls
            $0.thumbor?.allowsUnsigned = true
            $0.rootDialect = .thumbor
        }
        try thumbor.serve("https://origin.test/cat.png", ServerFixture.png())
        let response = try await thumbor.answer("/unsafe/10x10/filters:format(png)/https://origin.test/cat.png")
        #expect(try decoded(response).size == PixelSize(10, 10))
        #expect(try await thumbor.answer("/halcyon" + thumbor.path(["w:10"])).status == .ok)
    }

    @Test("An image that a rotation makes larger than an answer may be is refused")
    func rotation() async throws {
        let fixture = try await ServerFixture {
            $0.limits.outputSide = 100
            $0.urls.largestSide = 100
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        func status(_ side: Int) async throws -> Int {
            let options = ["w:\(side)", "h:\(side)", "fit:stretch", "enlarge", "rotate:45", "f:png"]
            return Int(try await fixture.answer(fixture.path(options)).status.code)
        }
        #expect(try await status(100) == 422)
        #expect(try await status(70) == 200)
    }

    @Test("An image that takes more than a limit of the server is refused")
    func limits() async throws {
        let fixture = try await ServerFixture {
            $0.limits.sourcePixels = 1_000
            $0.limits.outputBytes = 100
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        #expect(try await fixture.answer(fixture.path(["w:20"])).status == .unprocessableContent)
        try fixture.serve("https://origin.test/small.png", ServerFixture.png(20, 20))
        let large = try await fixture.answer(fixture.path(["f:pam"], "https://origin.test/small.png"))
        #expect(large.status == .badRequest)
        #expect(
            try await fixture.answer(
                fixture.path(["f:png", "w:30", "enlarge", "blur:3"], "https://origin.test/small.png")
            ).status
                == .unprocessableContent
        )
    }
}
