import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A redirect handler")
struct DownloadRedirectTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    private func task(_ handler: RedirectHandler) -> DownloadTask {
        var request = TransferRequest(url: url)
        request.credential = .bearer("secret")
        return test.downloader.task(for: request, policy: .with { $0.redirectHandler = handler })
    }

    private func redirect(to location: String) async {
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: location]))
    }

    @Test("sees the redirect and what HTTP would do, and may change it")
    func changes() async throws {
        let task = task(
            RedirectHandler { response, request in
                #expect(response.status == 302)
                #expect(request.url.absoluteString == "https://elsewhere.example/a")
                #expect(request.credential == nil)
                var request = request
                request.headers[.accept] = "image/webp"
                return request
            }
        )
        await redirect(to: "https://elsewhere.example/a")
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.url.absoluteString == "https://elsewhere.example/a")
        #expect(transfer.request.headers[.accept] == "image/webp")
        transfer.answer(.init(body: Data([1])))
        let body = try await task.body
        #expect(body.response.url.absoluteString == "https://elsewhere.example/a")
        #expect(body.metrics.redirectCount == 1)
    }

    @Test("may refuse")
    func refuses() async {
        let task = task(.refusing)
        await redirect(to: "https://elsewhere.example/a")
        #expect(await reason { try await task.body } == .redirectRejected("https://elsewhere.example/a"))
        #expect(test.transport.startedCount == 1)
    }

    @Test("does not lift the limit of redirects, whatever it does to the request")
    func limit() async {
        let task = task(
            RedirectHandler { _, request in
                var request = request
                request.limits.redirects = 1000
                request.followsRedirects = true
                return request
            }
        )
        for _ in 0...TransferLimits.standard.redirects { await redirect(to: "/again") }
        #expect(await reason { try await task.body } == .transfer(.tooManyRedirects(maximum: 10)))
    }

    @Test("is not asked where redirects lead out of HTTP")
    func scheme() async {
        let task = task(
            RedirectHandler { _, request in
                Issue.record("asked")
                return request
            }
        )
        await redirect(to: "file:///etc/passwd")
        guard case .transfer(.redirectRefused) = await reason(of: { try await task.body }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("of the request goes before the downloader's, and redirects that are not wanted are the response")
    func precedence() async throws {
        let test = TestDownloader(.with { $0.redirectHandler = RedirectHandler.refusing })
        let task = test.downloader.task(for: url, policy: .with { $0.redirectHandler = RedirectHandler { $1 } })
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/a"]))
        await test.transport.nextTransfer().answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))

        var request = TransferRequest(url: url)
        request.followsRedirects = false
        let plain = test.downloader.task(for: request)
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/a"], body: Data([2])))
        #expect(try await plain.body.response.status == 302)
    }

    @Test("does not wait for the long body of a redirect, nor is its length progress")
    func longBody() async throws {
        let task = task(RedirectHandler { $1 })
        let first = await test.transport.nextTransfer()
        first.respond(status: 302, headers: [.location: "/a", .contentLength: "1000000"])
        let second = await test.transport.nextTransfer()
        #expect(task.progress == ImageProgress())
        second.answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))
    }
}
