import FoundationEssentials
import Glibc
import HTTPTypes
import Halcyon
import HalcyonTesting
import Hummingbird
import HummingbirdTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("The HTTP of a server")
struct HTTPAnswerTests {
    private func fixture(
        _ headers: HTTPFields = [:],
        _ change: (inout ServerSettings) throws -> Void = { _ in }
    ) async throws -> ServerFixture {
        let fixture = try await ServerFixture(change)
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png(), headers: headers)
        return fixture
    }

    @Test("A client that has the bytes gets a 304 without them", arguments: ["TAG", "W/TAG", "\"x\", TAG", "*"])
    func notModified(_ field: String) async throws {
        let fixture = try await fixture()
        let path = try fixture.path(["w:20"])
        let tag = try #require(try await fixture.answer(path).headers[.eTag])
        let response = try await fixture.answer(path, [.ifNoneMatch: field.replacing("TAG", with: tag)])
        #expect(response.status == .notModified)
        #expect(response.body.readableBytes == 0)
        #expect(
            response.headers[.eTag] == tag && response.headers[.cacheControl] != nil
                && response.headers[.vary] == "Accept"
        )
        #expect(try await fixture.answer(path, [.ifNoneMatch: "\"other\""]).status == .ok)
    }

    @Test("HEAD has the headers of GET and no body")
    func head() async throws {
        let fixture = try await fixture()
        let path = try fixture.path(["w:20", "f:png"])
        let (get, head) = (try await fixture.answer(path), try await fixture.answer(path, method: .head))
        #expect(head.status == .ok && head.body.readableBytes == 0)
        #expect(head.headers[.contentLength] == "\(get.body.readableBytes)")
        #expect(head.headers[.eTag] == get.headers[.eTag] && head.headers[.contentType] == "image/png")
        // Ranges are of GET alone.
        let ranged = try await fixture.answer(path, [.range: "bytes=0-1"], method: .head)
        #expect(ranged.status == .ok && ranged.headers[.contentLength] == head.headers[.contentLength])
        let known = try await fixture.answer(path, [.ifNoneMatch: "*"], method: .head)
        #expect(known.status == .notModified && known.headers[.contentLength] == nil)
    }

    @Test("A long body is written in parts, so that a client that reads steadily has the time of each")
    func parts() async throws {
        let sizes = Recorder<Int>()
        let bytes = Data(repeating: 7, count: 150_000)
        let body = ImageServer.body(bytes[10...])
        #expect(body.contentLength == 149_990)
        try await body.write(SizeWriter(sizes: sizes))
        #expect(sizes.values == [65_536, 65_536, 18_918])
    }

    private struct SizeWriter: ResponseBodyWriter {
        let sizes: Recorder<Int>

        func write(_ buffer: ByteBuffer) async throws { sizes.add(buffer.readableBytes) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test("A range is a part of the bytes, if they are still those")
    func range() async throws {
        let fixture = try await fixture()
        let path = try fixture.path(["w:20", "f:png"])
        let whole = try await fixture.answer(path)
        let (bytes, tag) = (Data(buffer: whole.body), try #require(whole.headers[.eTag]))
        let part = try await fixture.answer(path, [.range: "bytes=2-5"])
        #expect(part.status == .partialContent)
        #expect(Data(buffer: part.body) == bytes[2...5])
        #expect(part.headers[.contentRange] == "bytes 2-5/\(bytes.count)" && part.headers[.contentLength] == "4")
        #expect(try await fixture.answer(path, [.range: "bytes=0-1", .ifRange: tag]).status == .partialContent)
        #expect(try await fixture.answer(path, [.range: "bytes=0-1", .ifRange: "\"other\""]).status == .ok)
        let beyond = try await fixture.answer(path, [.range: "bytes=\(bytes.count)-"])
        #expect(beyond.status == .rangeNotSatisfiable && beyond.headers[.contentRange] == "bytes */\(bytes.count)")
    }

    @Test("The lifetime is the source's own, and the server's where it states none")
    func lifetime() async throws {
        let stated = try await fixture([.cacheControl: "max-age=60, stale-while-revalidate=5, stale-if-error=7"])
        let first = try await stated.answer(stated.path(["w:20"])).headers[.cacheControl]
        // A second may pass between the answer of the origin and that of the server.
        #expect(
            first?.firstMatch(of: /^public, max-age=(60|59|58), stale-while-revalidate=5, stale-if-error=7$/) != nil
        )
        let silent = try await fixture { $0.defaultMaximumAge = 77 }
        #expect(
            try await silent.answer(silent.path(["w:20"])).headers[.cacheControl]
                == "public, max-age=77, stale-while-revalidate=3600, stale-if-error=86400"
        )
        let secret = try await fixture([.cacheControl: "no-store"])
        #expect(try await secret.answer(secret.path(["w:20"])).headers[.cacheControl] == "no-store")
        let own = try await fixture([.cacheControl: "private, max-age=60"])
        #expect(try await own.answer(own.path(["w:20"])).headers[.cacheControl]?.hasPrefix("private, max-age=") == true)
    }

    @Test("A server of many users obeys what origins say to such, and passes it on")
    func sharedRules() async throws {
        func answers(_ field: String, _ count: Int = 2) async throws -> (String, Int) {
            let fixture = try await fixture([.cacheControl: field, .eTag: "\"a\""])
            var value: String?
            for width in 1...count {
                value = try await fixture.answer(fixture.path(["w:\(width)"])).headers[.cacheControl]
            }
            return (value ?? "", fixture.transport.startedCount)
        }
        #expect(try await answers("max-age=1000, s-maxage=0").1 == 2)
        let (cdn, cdnCount) = try await answers("max-age=0, s-maxage=1000")
        #expect(cdn.firstMatch(of: /^public, max-age=0, s-maxage=(1000|999|998), must-revalidate$/) != nil)
        #expect(cdnCount == 1)
        let (own, ownCount) = try await answers("private, max-age=1000")
        #expect(own.firstMatch(of: /^private, max-age=(1000|999|998)$/) != nil && ownCount == 2)
        let (strict, _) = try await answers("max-age=1000, proxy-revalidate, stale-if-error=9")
        #expect(strict.firstMatch(of: /^public, max-age=(1000|999|998), must-revalidate$/) != nil)
        #expect(try await answers("no-cache").0 == "public, max-age=0, must-revalidate")
        // What is said of such alone is all that is known.
        let (alone, _) = try await answers("s-maxage=60")
        #expect(alone.firstMatch(of: /^public, max-age=(60|59|58), must-revalidate$/) != nil)
        #expect(try await answers("private").0 == "private, max-age=0")
    }

    @Test("A source that varies by what this server always sends alike is kept")
    func vary() async throws {
        let fixture = try await fixture([.cacheControl: "max-age=1000", .vary: "Accept-Encoding, Origin"])
        for _ in 0..<2 { #expect(try await fixture.answer(fixture.path(["w:20"])).status == .ok) }
        #expect(try await fixture.answer(fixture.path(["w:21"])).headers[.cacheControl]?.hasPrefix("public") == true)
        #expect(fixture.transport.startedCount == 1)
    }

    @Test("A source whose server forbids to keep it when it is asked again is not kept", arguments: ["no-store", "*"])
    func forbiddenLater(_ reason: String) async throws {
        let fixture = try await fixture([.cacheControl: "no-cache", .eTag: "\"a\""])
        let path = try fixture.path(["w:20"])
        _ = try await fixture.answer(path)
        fixture.transport.setRoute(
            try #require(URL(string: "https://origin.test/cat.png")),
            .init(
                status: 304,
                headers: reason == "*"
                    ? [.vary: "*", .cacheControl: "max-age=60", .eTag: "\"a\""]
                    : [.cacheControl: reason, .eTag: "\"a\""]
            )
        )
        #expect(try await fixture.answer(path).headers[.cacheControl] == "no-store")
    }

    @Test("A source that was cut short is asked for again, whatever lifetime it came with")
    func partialSource() async throws {
        let fixture = try await fixture()
        let (path, jpeg) = (
            try fixture.path(["w:20"]), try ImageCodecs.standard.encode(TestImage.noise(64, 64), as: .jpeg)
        )
        try fixture.serve(
            "https://origin.test/cat.png",
            jpeg.prefix(jpeg.count / 2),
            headers: [.cacheControl: "max-age=1000"]
        )
        #expect(try await fixture.answer(path).headers[.cacheControl]?.hasPrefix("public, max-age=10") == true)
        try fixture.serve("https://origin.test/cat.png", jpeg, headers: [.cacheControl: "max-age=1000"])
        for _ in 0..<2 {
            let value = try await fixture.answer(path).headers[.cacheControl]
            #expect(value?.firstMatch(of: /^public, max-age=(1000|999|998)$/) != nil)
        }
        #expect(fixture.transport.startedCount == 2)
    }

    @Test("Bytes that are others than the client asks for are a 412")
    func preconditions() async throws {
        let fixture = try await fixture()
        let path = try fixture.path(["w:20"])
        let tag = try #require(try await fixture.answer(path).headers[.eTag])
        #expect(try await fixture.answer(path, [.ifMatch: tag]).status == .ok)
        let refused = try await fixture.answer(path, [.ifMatch: "\"other\""])
        #expect(refused.status == .preconditionFailed && refused.headers[.cacheControl] == "no-store")
    }

    @Test("An answer does not outlive its URL")
    func expiry() async throws {
        let fixture = try await fixture()
        let response = try await fixture.answer(fixture.path(["w:20", "expires:1030"]))
        #expect(response.headers[.cacheControl] == "public, max-age=30")
        #expect(try await fixture.answer(fixture.path(["w:20", "expires:1000"])).status == .gone)
    }

    @Test("An unsigned URL is a 403 that no cache keeps, and a mistake a 400 that names the option")
    func refusals() async throws {
        let fixture = try await fixture()
        let unsigned = try await fixture.answer("/unsafe/w:20/plain/https://origin.test/cat.png")
        #expect(unsigned.status == .forbidden && unsigned.headers[.cacheControl] == "no-store")
        let mistake = try await fixture.answer(fixture.path(["blurr:2"]))
        #expect(mistake.status == .badRequest)
        #expect(String(buffer: mistake.body).contains("“blurr”"))
        #expect(fixture.transport.startedCount == 0)
    }

    @Test("The origin's failure has its own status, and says nothing of the source")
    func failures() async throws {
        let fixture = try await fixture()
        func status(_ route: ScriptedTransport.Route, _ name: String) async throws -> Int {
            fixture.transport.setRoute(try #require(URL(string: "https://origin.test/\(name)?token=secret")), route)
            let response = try await fixture.answer(fixture.path(["w:20"], "https://origin.test/\(name)?token=secret"))
            #expect(!String(buffer: response.body).contains("secret"))
            return Int(response.status.code)
        }
        #expect(try await status(.init(status: 404), "a") == 404)
        #expect(try await status(.init(status: 403), "e") == 403)
        #expect(try await status(.init(status: 429), "f") == 503)
        #expect(try await status(.init(status: 500), "b") == 502)
        #expect(try await status(.init(error: .cannotConnect("origin.test")), "c") == 502)
        #expect(try await status(.init(body: Data("no image".utf8)), "d") == 422)
    }

    @Test("The error image has the error's status and the size of the URL")
    func errorImage() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "error-\(UInt64.random(in: 0 ... .max)).png")
        try ServerFixture.png(64, 64).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let fixture = try await fixture { $0.errorImageFile = file.path }
        let none = "https://origin.test/none.png"
        fixture.transport.setRoute(try #require(URL(string: none)), .init(status: 404))
        let response = try await fixture.answer(
            fixture.path(["w:16", "f:png"], none),
            [.ifNoneMatch: "*", .range: "bytes=0-1"]
        )
        #expect(response.status == .notFound)
        #expect(response.headers[.cacheControl] == "public, max-age=60" && response.headers[.eTag] == nil)
        #expect(try ImageCodecs.standard.decode(Data(buffer: response.body)).size == PixelSize(16, 16))
        #expect(try await fixture.answer("/unsafe/w:20/plain/a").headers[.contentType] == "text/plain; charset=utf-8")
        // Nor in the place of a text.
        for path in try ["/info" + fixture.path([], none), fixture.path(["f:blurhash"], none)] {
            let answer = try await fixture.answer(path)
            #expect(answer.status == .notFound && answer.headers[.contentType] == "text/plain; charset=utf-8")
        }
        // Nor where the server has no time for it.
        let busy = try #require(URL(string: "https://origin.test/busy.png"))
        fixture.transport.setRoute(busy, .init(error: .timedOut(.idle)))
        let late = try await fixture.answer(fixture.path(["w:16", "f:png"], busy.absoluteString))
        #expect(late.status == .gatewayTimeout && late.headers[.contentType] == "text/plain; charset=utf-8")
    }

    @Test("A server does not start with an error image that is none")
    func noErrorImage() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "error-\(UInt64.random(in: 0 ... .max)).png")
        try Data("no image".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        await #expect(throws: SettingsError.self) { try await fixture { $0.errorImageFile = file.path } }
    }

    @Test("The error image is made in the place that its request has in the queue")
    func errorImageInTurn() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "error-\(UInt64.random(in: 0 ... .max)).png")
        try ServerFixture.png(64, 64).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (queues, running) = (Recorder<RequestQueue<QueuedImage>>(), Recorder<Int>())
        let encoder = CustomImageEncoder(format: .png, cacheIdentity: "test") { bitmap, options throws(CodecError) in
            running.add(queues.values.first?.counts.running ?? -1)
            return try ImageCodecs.standard.encode(bitmap, as: .png, options: options)
        }
        let codecs = ImageCodecs.server.registering(encoder: encoder)
        let fixture = try await ServerFixture(codecs: codecs) { $0.errorImageFile = file.path }
        queues.add(fixture.server.queue)
        fixture.transport.setRoute(try #require(URL(string: "https://origin.test/none.png")), .init(status: 404))
        let path = try fixture.path(["w:16", "f:png"], "https://origin.test/none.png")
        #expect(try await fixture.answer(path).headers[.contentType] == "image/png")
        #expect(running.values == [1])
    }

    @Test(
        "A purge of a source removes every form of it, one of a prefix those of its sources, and neither without the token"
    )
    func purge() async throws {
        let fixture = try await fixture { $0.purgeToken = .init("a token of the tests") }
        try fixture.serve("https://origin.test/b/dog.png", ServerFixture.png())
        let token: HTTPFields = [.authorization: "Bearer a token of the tests"]
        let dog = "https://origin.test/b/dog.png"
        func load() async throws {
            for source in ["https://origin.test/cat.png", dog] {
                for width in [10, 20] {
                    #expect(try await fixture.answer(fixture.path(["w:\(width)"], source)).status == .ok)
                }
            }
        }
        try await load()
        #expect(fixture.transport.startedCount == 2)
        for headers in [[:], [.authorization: "Bearer wrong"], [.authorization: "Bearer "]] as [HTTPFields] {
            let response = try await fixture.answer(
                "/cache?source=https://origin.test/cat.png",
                headers,
                method: .delete
            )
            #expect(response.status == .unauthorized)
        }
        #expect(
            try await fixture.answer("/cache?source=https://origin.test/cat.png", token).status == .methodNotAllowed
        )
        #expect(try await fixture.answer("/cache", token, method: .delete).status == .badRequest)
        try await load()
        #expect(fixture.transport.startedCount == 2)
        #expect(
            try await fixture.answer("/cache?source=https://origin.test/cat.png", token, method: .delete).status == .ok
        )
        try await load()
        #expect(fixture.transport.startedCount == 3)
        #expect(try await fixture.answer("/cache?prefix=https://origin.test/b/", token, method: .delete).status == .ok)
        try await load()
        #expect(fixture.transport.startedCount == 4)
        // In any spelling of the URL.
        let path = "/cache?prefix=HTTPS://ORIGIN.test:443/%2562/"
        #expect(try await fixture.answer(path, token, method: .delete).status == .ok)
        try await load()
        #expect(fixture.transport.startedCount == 5)
    }

    @Test("The name of a description is not that of an image")
    func dispositionOfDescription() async throws {
        let fixture = try await fixture()
        let named = try await fixture.answer("/info" + fixture.path(["filename:tom.jpg"]))
        #expect(named.headers[.contentDisposition] == "inline; filename=\"cat.json\"")
        let hash = try await fixture.answer(fixture.path(["f:blurhash"]))
        #expect(hash.headers[.contentDisposition] == "inline; filename=\"cat.txt\"")
    }

    @Test("What is made of a local file is in memory alone, and a purge of its source removes it there and counts it")
    func purgeOfFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "local-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try ServerFixture.png().write(to: URL(filePath: folder + "/cat.png"))
        let fixture = try await fixture {
            $0.purgeToken = .init("a token of the tests")
            $0.sources.localRoot = folder
        }
        let cache = fixture.server.pipeline.cache
        for width in [10, 20] {
            #expect(try await fixture.answer(fixture.path(["w:\(width)"], "local:///cat.png")).status == .ok)
        }
        await cache.flush()
        #expect(try await cache.diskStatistics().count == 0)
        #expect(cache.memoryStatistics.count == 2)
        // The name of the scheme is the same in capitals and small letters (RFC 9110, section 11.1).
        let token: HTTPFields = [.authorization: "bearer a token of the tests"]
        let answer = try await fixture.answer("/cache?source=local:///cat.png", token, method: .delete)
        #expect(String(buffer: answer.body) == "{\"removed\":2}\n")
        #expect(cache.memoryStatistics.count == 0)
    }

    @Test("A drawing is refused by its name")
    func drawing() async throws {
        let fixture = try await fixture()
        let svg = "https://origin.test/a.svg"
        try fixture.serve(svg, Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>".utf8))
        let answer = try await fixture.answer(fixture.path(["w:20"], svg))
        #expect(answer.status == .unprocessableContent && String(buffer: answer.body).contains("SVG"))
    }

    @Test("A server whose port is in use says so")
    func port() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                listen(descriptor, 1)
                getsockname(descriptor, $0, &length)
            }
            return Int(UInt16(bigEndian: address.pointee.sin_port))
        }
        let fixture = try await fixture { ($0.host, $0.port) = ("127.0.0.1", port) }
        let error = await #expect(throws: SettingsError.self) { try await fixture.server.run() }
        #expect(error?.description.contains("127.0.0.1, port \(port)") == true)
    }

    @Test("A server whose host is not known, and one with a missing image, say so in one line")
    func unusableSettings() async throws {
        let fixture = try await fixture { $0.host = "nonexist.invalid" }
        let host = await #expect(throws: SettingsError.self) { try await fixture.server.run() }
        #expect(host?.description.hasPrefix("“host”, “port”: the server cannot listen on nonexist.invalid, ") == true)
        let file = await #expect(throws: SettingsError.self) {
            try await self.fixture { $0.watermarkFile = "/nonexistent/image.png" }
        }
        #expect(
            file?.description
                == "“watermark-file” is no image that can be read, /nonexistent/image.png: No such file or directory"
        )
    }

    @Test("Nobody purges a server without a token")
    func noToken() async throws {
        let fixture = try await fixture()
        #expect(
            try await fixture.answer("/cache?prefix=https://origin.test/", [.authorization: "Bearer "], method: .delete)
                .status
                == .unauthorized
        )
    }

    @Test("Other methods than GET and HEAD are a 405 that names these")
    func methods() async throws {
        let fixture = try await fixture()
        let response = try await fixture.answer(fixture.path(["w:20"]), method: .post)
        #expect(response.status == .methodNotAllowed && response.headers[.allow] == "GET, HEAD")
    }

    @Test("Scripts of the allowed origin may read answers and errors, and others may show images")
    func crossOrigin() async throws {
        let fixture = try await fixture { $0.allowedOrigin = "https://site.test" }
        #expect(
            try await fixture.answer(fixture.path(["w:20"])).headers[.accessControlAllowOrigin] == "https://site.test"
        )
        #expect(try await fixture.answer("/unsafe/plain/a").headers[.accessControlAllowOrigin] == "https://site.test")
        let other = try await self.fixture()
        let response = try await other.answer(other.path(["w:20"]))
        #expect(response.headers[.accessControlAllowOrigin] == nil)
        #expect(response.headers[try #require(HTTPField.Name("Cross-Origin-Resource-Policy"))] == "cross-origin")
    }

    @Test(
        "The name of a file is that of the source with the format's ending, or the URL's own",
        arguments: [
            ([], "https://origin.test/a/cat.png?x=1", "inline; filename=\"cat.webp\""),
            (["attachment"], "https://origin.test/", "attachment; filename=\"origin.webp\""),
            (["filename:a\"b/c.gif"], "x", "inline; filename=\"a_bc.gif\"; filename*=UTF-8''a%22bc.gif"),
            (["filename:Küche.gif"], "x", "inline; filename=\"K_che.gif\"; filename*=UTF-8''K%C3%BCche.gif"),
            (["stem:tom"], "https://origin.test/a/cat.png", "inline; filename=\"tom.webp\""),
        ] as [([String], String, String)]
    )
    func disposition(_ options: [String], _ source: String, _ expected: String) throws {
        var plan = ImagePlan(source: source)
        for option in options {
            if option == "attachment" { plan.delivery.isAttachment = true }
            if option.hasPrefix("stem:") { plan.delivery.stem = String(option.dropFirst("stem:".count)) }
            if option.hasPrefix("filename:") { plan.delivery.filename = String(option.dropFirst("filename:".count)) }
        }
        #expect(ContentDisposition(plan, fileExtension: "webp").text == expected)
    }
}
