import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A hook given as an option")
struct HookOptionTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    /// Starts a load with options, and with the defaults of a pipeline that has them.
    private func task(_ options: ImageOption..., isDefault: Bool = false) -> (ImageTask, ScriptedTransport) {
        guard isDefault else { return (test.pipeline.task(for: url, options: options), test.transport) }
        let other = TestPipeline(defaultOptions: options)
        return (other.pipeline.task(for: url), other.transport)
    }

    @Test("changes the request, or rejects it", arguments: [false, true])
    func requests(isDefault: Bool) async throws {
        let modifier = TestHooks.request { request in
            var request = request
            request.headers[.accept] = "image/webp"
            return request
        }
        let (task, transport) = task(.hooks(modifier), isDefault: isDefault)
        let transfer = await transport.nextTransfer()
        #expect(transfer.request.headers[.accept] == "image/webp")
        transfer.answer(.init(body: Sample.png()))
        #expect(try await task.response.source == .network)
        let (rejected, _) = self.task(.hooks(TestHooks.request { _ in nil }), .forceRefresh)
        #expect(await reason { try await rejected.response } == .requestRejected(nil))
    }

    @Test("decides about redirects", arguments: [false, true])
    func redirects(isDefault: Bool) async throws {
        let (refused, transport) = task(.hooks(TestHooks.refusingRedirects), isDefault: isDefault)
        await transport.nextTransfer().answer(.init(status: 302, headers: [.location: "https://elsewhere.example/a"]))
        #expect(await reason { try await refused.response } == .redirectRejected("https://elsewhere.example/a"))
        let (followed, other) = task(.hooks(TestHooks.redirect { $1 }), isDefault: isDefault)
        await other.nextTransfer().answer(.init(status: 302, headers: [.location: "/b"]))
        await other.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await followed.response.source == .network)
    }

    @Test("supplies credentials")
    func credentials() async throws {
        let responder = TestHooks.credential { _ in .basic(user: "me", password: "secret") }
        let (task, transport) = task(.hooks(responder))
        let challenge: HTTPFields = [.wwwAuthenticate: "Basic realm=\"images\""]
        await transport.nextTransfer().answer(.init(status: 401, headers: challenge))
        let second = await transport.nextTransfer()
        #expect(second.request.credential == .basic(user: "me", password: "secret"))
        second.answer(.init(body: Sample.png()))
        #expect(try await task.response.source == .network)
    }

    @Test("changes the head of a response, then the body")
    func responses() async throws {
        let order = Lock<[String]>([])
        let (task, transport) = task(
            .hooks(
                TestHooks {
                    $0.response = { response in
                        order.withLock { $0.append("head") }
                        var response = response
                        response.status = 200
                        return response
                    }
                    $0.body = { data, response in
                        order.withLock { $0.append("body \(response.status)") }
                        return Data(data.reversed())
                    }
                }
            )
        )
        await transport.nextTransfer().answer(.init(status: 418, body: Data(Sample.png(5, 5).reversed())))
        #expect(try await task.response.image.size == PixelSize(5, 5))
        #expect(order.withLock { $0 } == ["head", "body 200"])
    }

    @Test("refuses a body")
    func reviewer() async throws {
        let (task, transport) = task(.hooks(TestHooks.response { _ in nil }))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(await reason { try await task.response } == .responseRejected(nil))
    }

    @Test("and filters of statuses and types refuse what they do not name")
    func filters() async throws {
        let (status, transport) = task(.acceptedStatusCodes(200..<201))
        await transport.nextTransfer().answer(.init(status: 203, body: Sample.png()))
        #expect(await reason { try await status.response } == .status(203))
        let (type, other) = task(.acceptedContentTypes(["image/*"]))
        await other.nextTransfer().answer(.init(headers: [.contentType: "text/html"], body: Sample.png()))
        #expect(await reason { try await type.response } == .contentType("text/html"))
    }

    @Test("a response of images without an end is refused at its head")
    func endlessImages() async throws {
        let (task, transport) = task()
        let type = "multipart/x-mixed-replace; boundary=frame"
        await transport.nextTransfer().answer(.init(headers: [.contentType: type], body: Sample.png()))
        #expect(await reason { try await task.response } == .contentType(type))
    }

    @Test("takes the place of the one that was set before")
    func lastOne() async throws {
        let (task, transport) = task(
            .hooks(TestHooks.request { _ in nil }),
            .hooks(TestHooks.request { $0 })
        )
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.response.source == .network)
    }
}
