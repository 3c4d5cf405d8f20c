import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("limits")
struct LimitTests {
    @Test("a body is refused by its announced length before a byte of it is delivered")
    func announced() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentLength: "1001"])
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 1000))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 1000))
            #expect(receiver.response == nil)
        }
    }

    @Test("a body of just the limit passes")
    func exact() async throws {
        let body = [UInt8](repeating: 1, count: 1000)
        try await withServer { _ in
            .chunked(chunks: [body])
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 1000))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body.count == 1000)
        }
    }

    @Test("an endless body is stopped")
    func endlessBody() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentType: "image/png"], .endless([UInt8](repeating: 1, count: 4096)))
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 100_000))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 100_000))
            #expect(receiver.body.count <= 100_000)
        }
    }

    @Test("a gzip bomb is stopped by its decoded size")
    func bomb() async throws {
        try await withServer { _ in
            .scripted(
                headers: [.contentEncoding: "gzip"],
                .bytes(GzipFixture.bombHead),
                .endless([UInt8](repeating: 0, count: 4096))
            )
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 5 << 20))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 5 << 20))
            #expect(receiver.body.count > 1 << 20 && receiver.body.count <= 5 << 20)
        }
    }

    @Test("endless header lines are stopped, long or short", arguments: [10, 50_000, 300_000])
    func endlessHeaders(length: Int) async throws {
        let line = Array("X-Padding: \(String(repeating: "a", count: length))\r\n".utf8)
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(line)])
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            guard case .headersTooLarge(let maximum) = await receiver.failure() else {
                Issue.record("\(await receiver.result())")
                return
            }
            #expect(maximum <= 256 << 10)
            #expect(receiver.response == nil)
        }
    }

    @Test("more header fields than anyone sends are stopped, though their bytes are few")
    func floodOfShortFields() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(Array("a:\n".utf8))])
        } _: { server, transport in
            guard case .headersTooLarge = await receive(transport, TransferRequest.patient(url: server.url())).failure()
            else {
                Issue.record("not stopped by the limit of headers")
                return
            }
        }
    }

    @Test("one endless header line is stopped")
    func endlessLine() async throws {
        try await withServer { _ in
            .init(steps: [
                .bytes(Array("HTTP/1.1 200 OK\r\nX: ".utf8)), .endless([UInt8](repeating: 0x61, count: 4096)),
            ])
        } _: { server, transport in
            guard case .headersTooLarge = await receive(transport, TransferRequest.patient(url: server.url())).failure()
            else {
                Issue.record("not stopped by the limit of headers")
                return
            }
        }
    }

    @Test("a status line without end is stopped")
    func endlessStatusLine() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 ".utf8)), .endless([UInt8](repeating: 0x61, count: 4096))])
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            #expect(failure?.code == "headersTooLarge", "\(String(describing: failure))")
        }
    }

    @Test("a header value that is folded into lines without end is stopped")
    func endlessFolding() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\nX: a\r\n".utf8)), .endless(Array(" more\r\n".utf8))])
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            #expect(failure?.code == "headersTooLarge", "\(String(describing: failure))")
        }
    }

    @Test("headers beyond what libcurl takes are an error of the headers, whatever the limit")
    func generousLimit() async throws {
        let line = Array("X-Padding: \(String(repeating: "a", count: 90_000))\r\n".utf8)
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(line)])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.headerBytes = 4 << 20
            let failure = await receive(transport, request).failure()
            #expect(failure?.code == "headersTooLarge", "\(String(describing: failure))")
        }
    }

    @Test("a request of very long headers is no error of the response, whether libcurl sends it or not")
    func longRequest() async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            let headers: HTTPFields = [.acceptLanguage: String(repeating: "a", count: 12 << 20)]
            // Newer versions send it.
            let failure = await receive(transport, .patient(url: server.url(), headers: headers)).failure()
            #expect(failure?.code != "headersTooLarge", "\(String(describing: failure))")
        }
    }

    @Test("trailers without end are stopped, in many lines or one", arguments: [true, false])
    func endlessTrailers(inLines: Bool) async throws {
        let padding = [UInt8](repeating: 0x61, count: 1000)
        try await withServer { _ in
            .scripted(
                headers: [.transferEncoding: "chunked"],
                .bytes(Array("1\r\na\r\n0\r\nX: ".utf8)),
                .endless(inLines ? padding + Array("\r\nX: ".utf8) : padding)
            )
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            #expect(["headersTooLarge", "malformedResponse"].contains(failure?.code), "\(String(describing: failure))")
        }
    }

    @Test(
        "an extension of a chunk without end is stopped, before any body and after some",
        arguments: ["", "1\r\na\r\n"]
    )
    func endlessExtension(before: String) async throws {
        try await withServer { _ in
            .scripted(
                headers: [.transferEncoding: "chunked"],
                .bytes(Array((before + "5;").utf8)),
                .endless([UInt8](repeating: 0x61, count: 4096))
            )
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            #expect(failure?.code == "malformedResponse", "\(String(describing: failure))")
        }
    }

    @Test("a short body in chunks of one byte, each with an extension of a megabyte, is stopped")
    func longExtensions() async throws {
        let chunk = Array("1;".utf8) + [UInt8](repeating: 0x61, count: 1 << 20) + Array("\r\na\r\n".utf8)
        try await withServer { _ in
            .scripted(headers: [.transferEncoding: "chunked"], .endless(chunk))
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            #expect(failure?.code == "malformedResponse", "\(String(describing: failure))")
        }
    }

    @Test("a proxy's answer to CONNECT without end is stopped")
    func endlessTunnelHead() async throws {
        let proxy = try OriginServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(Array("X-Padding: a\r\n".utf8))])
        }
        defer { proxy.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.proxies = .proxy(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "https://images.example/"))
        let failure = await receive(transport, .patient(url: url)).failure()
        #expect(failure?.code == "headersTooLarge", "\(String(describing: failure))")
    }

    @Test("a coded body that stands for nothing, and goes on for ever, is stopped", arguments: CodedFixture.nothings)
    func endlessNothing(_ nothing: CodedFixture.Nothing) async throws {
        try await withServer { _ in
            .scripted(headers: [.contentEncoding: nothing.coding], .bytes(nothing.head), .endless(nothing.repeated))
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 100_000))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 100_000))
            #expect(receiver.body.isEmpty)
        }
    }

    @Test("headers of redirects and informational responses count")
    func headersOfAllResponses() async throws {
        let hints = OriginServer.Response.head(103, headers: [.contentLanguage: String(repeating: "e", count: 500)])
        try await withServer { _ in
            .init(steps: [.endless(hints)])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.headerBytes = 10_000
            #expect(await receive(transport, request).failure() == .headersTooLarge(maximum: 10_000))
        }
    }

    private func request(_ server: OriginServer, bodyBytes: Int) -> TransferRequest {
        var request = TransferRequest.patient(url: server.url())
        request.limits.bodyBytes = bodyBytes
        return request
    }
}
