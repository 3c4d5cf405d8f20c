import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("redirects")
struct RedirectTests {
    @Test("are followed, and only the last response is delivered")
    func chain() async throws {
        try await withServer { request in
            switch request.path {
            case "/0": .redirect(to: "/1", status: 301)
            case "/1": .redirect(to: "2?x=y", status: 307)
            case "/2?x=y": .init(body: [9])
            default: .init(404)
            }
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url("/0")))
            #expect(receiver.response?.status == 200)
            #expect(receiver.response?.url == server.url("/2?x=y"))
            #expect(receiver.body == Data([9]))
            let metrics = try? await receiver.result().get()
            #expect(metrics?.redirectCount == 2)
            #expect(receiver.violations == [])
        }
    }

    @Test("end at the limit", arguments: [0, 1, 5])
    func limit(maximum: Int) async throws {
        try await withServer { _ in
            .redirect(to: "/again")
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.redirects = maximum
            #expect(await receive(transport, request).failure() == .tooManyRedirects(maximum: maximum))
            #expect(server.requests.count == maximum + 1)
        }
    }

    @Test(
        "to other schemes are refused",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"]
    )
    func foreignScheme(target: String) async throws {
        try await withServer { _ in
            .redirect(to: target)
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            guard case .redirectRefused(let message) = await receiver.failure() else {
                Issue.record("not refused: \(await receiver.result())")
                return
            }
            #expect(message.contains(target) && message.contains("127.0.0.1:\(server.port)"))
            #expect(receiver.response == nil && receiver.body.isEmpty)
        }
    }

    @Test("take credentials along within an origin, and leave them behind on the way to another")
    func credentials() async throws {
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        try await withServer { request in
            request.path == "/near" ? .redirect(to: "/far") : .redirect(to: target)
        } _: { server, transport in
            let headers: HTTPFields = [.authorization: "Bearer secret", .cookie: "a=b", .accept: "image/*"]
            let receiver = await receive(transport, TransferRequest.patient(url: server.url("/near"), headers: headers))
            #expect(receiver.response?.status == 200)
            #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer secret", "Bearer secret"])
            #expect(server.requests.map { $0.headers[.cookie] } == ["a=b", "a=b"])
            let final = try #require(other.requests.first)
            #expect(final.headers[.authorization] == nil)
            #expect(final.headers[.cookie] == nil)
            #expect(final.headers[.accept] == "image/*")
        }
    }

    @Test("leave a user name and password of the URL behind on the way to another origin")
    func userInformation() async throws {
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        try await withServer { _ in
            .redirect(to: target)
        } _: { server, transport in
            let url = try #require(URL(string: "http://user:word@127.0.0.1:\(server.port)/"))
            _ = await receive(transport, TransferRequest.patient(url: url))
            #expect(server.requests.first?.headers[.authorization]?.hasPrefix("Basic ") == true)
            #expect(other.requests.count == 1)
            #expect(other.requests.first?.headers[.authorization] == nil)
            // Neither does the next transfer inherit them.
            _ = await receive(transport, TransferRequest.patient(url: other.url()))
            #expect(other.requests.last?.headers[.authorization] == nil)
        }
    }

    @Test("that say no valid target are an error, and a 3xx without a target is a response")
    func oddTargets() async throws {
        try await withServer { request in
            request.path == "/bad" ? .redirect(to: "http://") : .init(302, body: [5])
        } _: { server, transport in
            let bad = await receive(transport, TransferRequest.patient(url: server.url("/bad")))
            guard case .malformedResponse = await bad.failure() else {
                Issue.record("\(await bad.result())")
                return
            }
            let none = await receive(transport, TransferRequest.patient(url: server.url("/none")))
            #expect(none.response?.status == 302)
            #expect(none.body == Data([5]))
        }
    }
}
