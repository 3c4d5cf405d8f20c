import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Cookies of a store")
struct DownloadCookieTests {
    private let test = TestDownloader()
    private let url = Sample.url()
    private let cookies = CookieStore()

    private var policy: NetworkPolicy { .with { $0.cookies = cookies } }

    /// Sets cookies for the test's URL, as a login would.
    private func set(_ values: String..., from url: URL? = nil, in store: CookieStore? = nil) {
        let fields = HTTPFields(values.map { HTTPField(name: .setCookie, value: $0) })
        (store ?? cookies).receive(fields, from: url ?? self.url)
    }

    @Test("are sent by the transfers that name it alone, and set by their responses, failures too")
    func use() async throws {
        test.transport.setAnswer { request in
            .init(
                status: request.headers[.cookie] == nil ? 403 : 200,
                headers: [.setCookie: "sid=1; Path=/"],
                body: Data([1])
            )
        }
        #expect(await reason { try await test.downloader.download(from: url, policy: policy) } == .status(403))
        _ = try await test.downloader.download(from: url, policy: policy)
        #expect(await reason { try await test.downloader.download(from: url) } == .status(403))
        #expect(test.transport.transfers.map { $0.request.headers[.cookie] } == [nil, "sid=1", nil])
    }

    @Test("are taken and sent by each hop of a redirect, as they apply to its URL")
    func redirects() async throws {
        let task = test.downloader.task(for: url, policy: policy)
        let first = await test.transport.nextTransfer()
        #expect(!first.request.followsRedirects && first.request.headers[.cookie] == nil)
        set("other=2; Path=/", from: URL(string: "https://elsewhere.example/"))
        first.answer(
            .init(status: 302, headers: [.location: "/next", .setCookie: "own=1; Path=/"])
        )
        let second = await test.transport.nextTransfer()
        #expect(second.request.headers[.cookie] == "own=1")
        second.answer(.init(status: 302, headers: [.location: "https://elsewhere.example/a"]))
        let third = await test.transport.nextTransfer()
        #expect(third.request.headers[.cookie] == "other=2")
        third.answer(.init(headers: [.setCookie: "late=3; Path=/"], body: Data([1])))
        #expect(try await task.body.isForHiddenRequest)
        #expect(cookies.cookies.map(\.domain) == ["elsewhere.example", "images.example", "elsewhere.example"])
    }

    @Test("leave a field of the request's own as it is, and its responses set none")
    func ownField() async throws {
        set("sid=1; Path=/")
        test.transport.setAnswer { _ in .init(headers: [.setCookie: "late=2; Path=/"], body: Data([1])) }
        let request = TransferRequest(url: url, headers: [.cookie: "own=3"])
        _ = try await test.downloader.download(request, policy: policy)
        #expect(test.transport.transfers.map { $0.request.headers[values: .cookie] } == [["own=3"]])
        #expect(cookies.cookies.map(\.name) == ["sid"])
    }

    @Test("follow the URL that a modifier chooses, and a field of a modifier stays")
    func modifiers() async throws {
        set("sid=1; Path=/")
        let mirror = try #require(URL(string: "https://mirror.example/a"))
        set("mirror=2; Path=/", from: mirror)
        test.transport.setAnswer { _ in .init(body: Data([1])) }
        var changed = policy
        changed.hooks = TestHooks.request { request in
            var request = request
            request.url = mirror
            return request
        }
        _ = try await test.downloader.download(from: url, policy: changed)
        changed.hooks = TestHooks.request { request in
            var request = request
            request.headers[.cookie] = "own=3"
            return request
        }
        _ = try await test.downloader.download(from: url, policy: changed)
        changed.hooks = TestHooks.request { TransferRequest(url: $0.url) }
        _ = try await test.downloader.download(from: url, policy: changed)
        #expect(test.transport.transfers.map { $0.request.headers[.cookie] } == ["mirror=2", "own=3", "sid=1"])
    }

    @Test("are not those of a proxy's refusal")
    func proxy() async throws {
        test.transport.setAnswer { _ in .init(status: 407, headers: [.setCookie: "a=1"]) }
        #expect(await reason { try await test.downloader.download(from: url, policy: policy) } == .status(407))
        #expect(cookies.cookies.isEmpty)
    }

    @Test("share a transfer with requests of the same store and the same cookies alone")
    func sharing() async throws {
        let others = CookieStore()
        for store in [cookies, others] { set("sid=1; Path=/", in: store) }
        let first = test.downloader.task(for: url, policy: policy)
        let second = test.downloader.task(for: url, policy: policy)
        await test.waiters(2)
        #expect(test.downloader.transfers.count == 1)
        let third = test.downloader.task(for: url, policy: .with { $0.cookies = others })
        await test.waiters(3)
        #expect(test.downloader.transfers.count == 2)
        set("sid=2; Path=/")
        let fourth = test.downloader.task(for: url, policy: policy)
        await test.waiters(4)
        #expect(test.downloader.transfers.count == 3)
        for _ in 0..<3 { await test.transport.nextTransfer().answer(.init(body: Data([1]))) }
        for task in [first, second, third, fourth] { _ = try await task.body }
    }

    @Test("over real connections are sent along redirects, by path, and for another host its own")
    func sockets() async throws {
        let server = try OriginServer { request in
            switch request.path {
            case "/login":
                .redirect(
                    to: "/inner/page",
                    headers: HTTPFields([
                        HTTPField(name: .setCookie, value: "inner=1; Path=/inner"),
                        HTTPField(name: .setCookie, value: "outer=2; Path=/outer"),
                        HTTPField(name: .setCookie, value: "foreign=3; Domain=example.com; Path=/"),
                    ])
                )
            case "/inner/page": .redirect(to: "/outer")
            default: .init(body: [1])
            }
        }
        let transport = CurlTransport()
        let downloader = ImageDownloader(
            transport: transport,
            configuration: .init(policy: .with { $0.timeouts = .download(.seconds(3600)) })
        )
        defer {
            downloader.shutdown()
            transport.shutdown()
            server.stop()
        }
        _ = try await downloader.download(from: server.url("/login"), policy: policy)
        let other = try #require(URL(string: "http://localhost:\(server.port)/inner/page"))
        _ = try await downloader.download(from: other, policy: policy)
        #expect(server.requests.map(\.path) == ["/login", "/inner/page", "/outer", "/inner/page", "/outer"])
        #expect(server.requests.map { $0.headers[.cookie] } == [nil, "inner=1", "outer=2", nil, nil])
    }
}
