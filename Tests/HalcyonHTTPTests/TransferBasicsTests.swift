import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("a transfer over libcurl")
struct TransferBasicsTests {
    @Test("brings status, headers, length and body")
    func success() async throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let server = try OriginServer { _ in
            .init(200, headers: [.contentType: "image/png", .setCookie: "a=1", .eTag: "\"x\""], body: body)
        }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }

        let loaded = try await transport.data(
            for: TransferRequest.patient(url: server.url("/picture?a=b"))
        )

        #expect(loaded.response.status == 200)
        #expect(loaded.response.headers[.contentType] == "image/png")
        #expect(loaded.response.headers[.eTag] == "\"x\"")
        #expect(loaded.response.url == server.url("/picture?a=b"))
        #expect(loaded.response.expectedBodyBytes == body.count)
        #expect(firstDifference(loaded.data, body) == nil)
        #expect(loaded.metrics.bodyBytesReceived == body.count)
        #expect(loaded.metrics.networkProtocol == "http/1.1")
        #expect(!loaded.metrics.isReusedConnection)
        #expect(loaded.metrics.redirectCount == 0)
        #expect(loaded.metrics.firstByte > .zero && loaded.metrics.firstByte <= loaded.metrics.total)
        #expect(loaded.metrics.connect > .zero && loaded.metrics.connect <= loaded.metrics.firstByte)
        #expect(server.requests.map(\.path) == ["/picture?a=b"])
        #expect(server.requests.first?.headers[.acceptEncoding]?.contains("gzip") == true)
    }

    @Test(
        "sends the URL as the caller spells it, without the fragment and dot segments, which its name has not either",
        arguments: [
            ("/%7e%41%2f?%61", "/%7e%41%2f?%61"), ("//a//b", "//a//b"), ("/a%2e%2Eb/...", "/a%2e%2Eb/..."),
            ("/a/./b/../c?d=/../e", "/a/c?d=/../e"), ("/%7ea/x/..?s=%2e%2E/..&t=+", "/%7ea/?s=%2e%2E/..&t=+"),
            ("/a/%2e%2E/%7eb", "/%7eb"), ("/a/b/.%2e", "/a/"), ("/a/%2E", "/a/"), ("/../%2e./a", "/a"),
            ("/a/%252e%252e/b", "/a/%252e%252e/b"), ("/a/..;/b", "/a/..;/b"), ("/a/..//b", "//b"), ("/..", "/"),
        ]
    )
    func spelling(path: String, sent: String) async throws {
        let server = try OriginServer { _ in .init(200, body: [1]) }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = server.url(path + "#f")
        _ = try await transport.data(for: TransferRequest.patient(url: url))
        #expect(server.requests.map(\.path) == [sent])
        #expect(url.sent == server.url(sent + "#f") && url.name == server.url(sent).name)
    }

    @Test("delivers the head once, before an empty body ends", arguments: [200, 204, 304, 404, 500, 299])
    func statuses(status: Int) async throws {
        let server = try OriginServer { _ in .init(status) }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let receiver = RecordingReceiver()
        _ = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
        #expect(await receiver.failure() == nil)
        #expect(receiver.response?.status == status)
        #expect(receiver.response?.expectedBodyBytes == 0)
        #expect(receiver.body.isEmpty)
        #expect(receiver.violations == [])
    }

    @Test("passes 206 and 416 through, and asks for a range of the plain body")
    func ranges() async throws {
        let server = try OriginServer { request in
            request.headers[.range] == "bytes=2-3"
                ? .init(206, headers: [.contentRange: "bytes 2-3/5"], body: [3, 4]) : .init(416)
        }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: server.url())
        request.headers[.range] = "bytes=2-3"
        let part = try await transport.data(for: request)
        #expect(part.response.status == 206)
        #expect(part.response.headers[.contentRange] == "bytes 2-3/5")
        #expect(part.data == Data([3, 4]))
        request.headers[.range] = "bytes=9-"
        #expect(try await transport.data(for: request).response.status == 416)
        #expect(server.requests.allSatisfy { $0.headers[.acceptEncoding] == "identity" })
    }

    @Test("sends method, headers and body, and nothing of them with the next request on the same handle")
    func requestParts() async throws {
        let server = try OriginServer { _ in .init() }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = server.url("/a")
        var post = TransferRequest.patient(
            url: url,
            method: .post,
            headers: [.authorization: "secret"],
            body: Data([0, 1, 2, 0])
        )
        post.headers[.userAgent] = ""
        _ = try await transport.data(for: post)
        _ = try await transport.data(for: TransferRequest.patient(url: url))
        _ = try await transport.data(for: TransferRequest.patient(url: url, method: .head))
        _ = try await transport.data(for: TransferRequest.patient(url: url, method: .delete))
        let requests = server.requests
        #expect(requests.map(\.method) == ["POST", "GET", "HEAD", "DELETE"])
        #expect(requests[0].body == [0, 1, 2, 0])
        #expect(requests[0].headers[.authorization] == "secret")
        #expect(requests[0].headers[.userAgent] == "")
        #expect(requests[1].body.isEmpty)
        #expect(requests[1].headers[.authorization] == nil)
        #expect(requests[1].headers[.userAgent] == "Halcyon")
    }

    @Test("uses a connection again")
    func reuse() async throws {
        let server = try OriginServer { _ in .init(body: [1]) }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: server.url())
        #expect(try await !transport.data(for: request).metrics.isReusedConnection)
        let metrics = try await transport.data(for: request).metrics
        #expect(metrics.isReusedConnection)
        #expect(metrics.connect == .zero && metrics.nameLookup == .zero)
        #expect(server.connectionCount == 1)
    }

    @Test("runs beside nine others")
    func concurrent() async throws {
        let arrived = (0..<10).map { _ in Gate() }
        let release = Gate()
        let server = try OriginServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return .init(steps: [.open(arrived[number]), .wait(release)] + Self.ok([UInt8(number)]))
        }
        defer { server.stop() }
        let transport = CurlTransport(configuration: .init(maximumTransfersPerHost: 10))
        defer { transport.shutdown() }
        let bodies = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for number in 0..<10 {
                group.addTask {
                    let request = TransferRequest.patient(url: server.url("/\(number)"))
                    return (number, try await transport.data(for: request).data)
                }
            }
            for gate in arrived { await gate.wait() }
            release.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Data([UInt8($0)])) }))
    }

    private static func ok(_ body: [UInt8]) -> [OriginServer.Response.Step] {
        OriginServer.Response(body: body).steps
    }

    @Test("joins chunks, and knows no length before")
    func chunked() async throws {
        let server = try OriginServer { _ in .chunked(chunks: [[1, 2], [3], [4, 5, 6]]) }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let body = try await transport.data(for: TransferRequest.patient(url: server.url()))
        #expect(body.response.expectedBodyBytes == nil)
        #expect(body.data == Data([1, 2, 3, 4, 5, 6]))
    }

    @Test("skips informational responses")
    func informational() async throws {
        let server = try OriginServer { _ in
            let hints = OriginServer.Response.head(103, headers: [.contentLanguage: "en"])
            return .init(steps: [.bytes(hints)] + Self.ok([7]))
        }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let body = try await transport.data(for: TransferRequest.patient(url: server.url()))
        #expect(body.response.status == 200)
        #expect(body.response.headers[.contentLanguage] == nil)
        #expect(body.data == Data([7]))
    }

    @Test("decodes gzip, without promising a length")
    func gzip() async throws {
        let server = try OriginServer { _ in
            .init(headers: [.contentEncoding: "gzip"], body: GzipFixture.tenThousandBytes)
        }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let body = try await transport.data(for: TransferRequest.patient(url: server.url()))
        #expect(body.response.expectedBodyBytes == nil)
        #expect(firstDifference(body.data, Data(String(repeating: "halcyon ", count: 1250).utf8)) == nil)
        #expect(body.metrics.bodyBytesReceived == GzipFixture.tenThousandBytes.count)
    }

    @Test(
        "refuses what is not an absolute http URL",
        arguments: ["ftp://a/b", "file:///etc/passwd", "/path", "http://"]
    )
    func invalidURLs(text: String) async throws {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = try #require(URL(string: text))
        await #expect(throws: TransferError.invalidURL(text)) {
            _ = try await transport.data(for: TransferRequest.patient(url: url))
        }
    }
}
