import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Cookies of a downloader")
struct DownloadCookieTests {
    /// Runs `body` with a server that tells a stranger from a user, and whose redirects lead from host to host.
    private func withServer(
        _ configuration: CurlTransport.Configuration = CurlTransport.Configuration(),
        _ body: (OriginServer, ImageDownloader) async throws -> Void
    ) async throws {
        let server = try OriginServer { request in
            let port = request.headers.first { $0.name.canonicalName == "host" }?.value.split(separator: ":").last ?? ""
            switch request.path {
            case "/login":
                return .redirect(
                    to: "/inner/page",
                    headers: HTTPFields([
                        HTTPField(name: .setCookie, value: "inner=1; Path=/inner"),
                        HTTPField(name: .setCookie, value: "outer=2; Path=/outer"),
                        HTTPField(name: .setCookie, value: "foreign=3; Domain=localhost; Path=/"),
                    ])
                )
            case "/inner/page": return .redirect(to: "http://localhost:\(port)/there", headers: [.setCookie: "late=4"])
            case "/there": return .redirect(to: "http://127.0.0.1:\(port)/outer")
            default: return .init(headers: [.setCookie: "last=5; Path=/"], body: [1])
            }
        }
        let transport = CurlTransport(configuration: configuration)
        let downloader = ImageDownloader(
            transport: transport,
            configuration: .init(policy: .with { $0.timeouts = .download(.seconds(3600)) })
        )
        defer {
            downloader.shutdown()
            transport.shutdown()
            server.stop()
        }
        try await body(server, downloader)
    }

    @Test("that redirects set go along their chain, by path and host, and no further", arguments: [false, true])
    func chain(isLed: Bool) async throws {
        try await withServer { server, downloader in
            let policy = NetworkPolicy.with { if isLed { $0.hooks = TestHooks.redirect { $1 } } }
            for _ in 0..<2 { _ = try await downloader.download(from: server.url("/login"), policy: policy) }
            let once = [nil, "inner=1", nil, "outer=2"]
            #expect(server.requests.map { $0.headers[.cookie] } == once + once)
        }
    }

    @Test("that redirects set go nowhere else where hooks lead the chain elsewhere")
    func elsewhere() async throws {
        try await withServer { server, downloader in
            let stranger = try #require(URL(string: "http://localhost:\(server.port)/inner/end"))
            let policy = NetworkPolicy.with {
                $0.hooks = TestHooks.redirect { _, _ in TransferRequest(url: stranger) }
            }
            _ = try await downloader.download(from: server.url("/login"), policy: policy)
            #expect(server.requests.map(\.path) == ["/login", "/inner/end"])
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil])
        }
    }

    @Test("of a transport's file are sent by all of its downloads, redirects that hooks follow included")
    func file() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = CurlTransport.Configuration()
        configuration.cookies = try CookieFile(folder + "/cookies.txt")
        try await withServer(configuration) { server, downloader in
            _ = try await downloader.download(from: server.url("/end"))
            let policy = NetworkPolicy.with { $0.hooks = TestHooks.redirect { $1 } }
            _ = try await downloader.download(from: server.url("/login"), policy: policy)
            let sets = server.requests.map { Set($0.headers[.cookie]?.components(separatedBy: "; ") ?? []) }
            #expect(sets == [[], ["last=5"], ["inner=1", "last=5"], [], ["last=5", "outer=2"]])
        }
    }
}
