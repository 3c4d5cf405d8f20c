import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Over real connections, a downloader")
struct DownloadSocketTests {
    /// Runs `body` with a server and a downloader whose transfers no timeout ends.
    private func withServer(
        _ handler: @escaping OriginServer.Handler,
        _ body: (OriginServer, ImageDownloader) async throws -> Void
    ) async throws {
        let server = try OriginServer(handler: handler)
        let transport = CurlTransport()
        let downloader = ImageDownloader(
            transport: transport,
            configuration: .init(policy: .with { $0.timeouts = .download(.seconds(3600)) })
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server, downloader))
        } catch {
            result = .failure(error)
        }
        downloader.shutdown()
        transport.shutdown()
        server.stop()
        try result.get()
    }

    @Test("makes no connection for a request that its modifier rejects")
    func rejected() async throws {
        try await withServer({ _ in .init(body: [1]) }) { server, downloader in
            let policy = NetworkPolicy.with { $0.hooks = TestHooks.request { _ in nil } }
            let url = server.url()
            #expect(await reason { try await downloader.download(from: url, policy: policy) } == .requestRejected(nil))
            #expect(server.connectionCount == 0)
        }
    }

    @Test("follows a redirect that its handler wants changed, on the same connection")
    func redirect() async throws {
        try await withServer({ request in
            request.path == "/final" ? .init(body: [1]) : .redirect(to: "/wrong")
        }) { server, downloader in
            let final = server.url("/final")
            let policy = NetworkPolicy.with {
                $0.hooks = TestHooks.redirect { _, request in
                    var request = request
                    request.url = final
                    return request
                }
            }
            let body = try await downloader.download(from: server.url("/first"), policy: policy)
            #expect(body.data == Data([1]))
            #expect(body.response.url == final)
            #expect(server.requests.map(\.path) == ["/first", "/final"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test("sends the cookies that redirects set with the next ones, also where a handler follows them")
    func cookies() async throws {
        try await withServer({ request in
            switch request.headers[.cookie] {
            case nil: .redirect(to: request.path, headers: [.setCookie: "wall=1; Path=/"])
            case "wall=1": .init(body: [1])
            default: .init(body: [2])
            }
        }) { server, downloader in
            let seen = Lock<[String?]>([])
            let policy = NetworkPolicy.with {
                $0.hooks = TestHooks.redirect { _, request in
                    seen.withLock { $0.append(request.headers[.cookie]) }
                    return request
                }
            }
            let plain = try await downloader.download(from: server.url("/plain"))
            let led = try await downloader.download(from: server.url("/led"), policy: policy)
            #expect(plain.data == Data([1]) && led.data == Data([1]))
            #expect(seen.withLock { $0 } == [nil])
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, "wall=1", nil, "wall=1"])
            let own = NetworkPolicy.with {
                $0.hooks = TestHooks.redirect { _, request in
                    var request = request
                    request.headers[.cookie] = "own=1"
                    return request
                }
            }
            let changed = try await downloader.download(from: server.url("/own"), policy: own)
            #expect(changed.data == Data([2]))
        }
    }

    @Test("gives a server the credential it asked for, and none before")
    func authentication() async throws {
        try await withServer({ request in
            request.headers[.authorization] == "Basic dXNlcjpwYXNzd29yZA=="
                ? .init(body: [1]) : .init(401, headers: [.wwwAuthenticate: "Basic realm=\"gallery\""])
        }) { server, downloader in
            let policy = NetworkPolicy.with {
                $0.hooks = TestHooks.credential { demand in
                    demand.challenges.first?.realm == "gallery" ? .basic(user: "user", password: "password") : nil
                }
            }
            let body = try await downloader.download(from: server.url(), policy: policy)
            #expect(body.data == Data([1]))
            #expect(server.requests.first?.headers[.authorization] == nil)
            #expect(server.requestCount("/") == 2)
        }
    }

    @Test("closes the connection on a long body that a reviewer refuses")
    func veto() async throws {
        let gone = Gate()
        try await withServer({ _ in
            .scripted(headers: [.contentLength: "1000000"], .bytes([1]), .awaitDisconnect(opening: gone))
        }) { server, downloader in
            let policy = NetworkPolicy.with { $0.hooks = TestHooks.response { _ in nil } }
            let url = server.url()
            #expect(await reason { try await downloader.download(from: url, policy: policy) } == .responseRejected(nil))
            await gone.wait()
        }
    }

    @Test("ends a transfer on the wire when its last caller cancels")
    func lastCaller() async throws {
        let (arrived, gone) = (Gate(), Gate())
        try await withServer({ _ in
            .scripted(headers: [.contentLength: "10"], .bytes([1]), .open(arrived), .awaitDisconnect(opening: gone))
        }) { server, downloader in
            let tasks = (0..<3).map { _ in downloader.task(for: server.url()) }
            await arrived.wait()
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.body } }
            await gone.wait()
        }
    }
}
