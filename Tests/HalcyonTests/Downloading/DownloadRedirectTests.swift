import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A redirect handler")
struct DownloadRedirectTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    private func task(_ handler: TestHooks) -> DownloadTask {
        var request = TransferRequest(url: url)
        request.credential = .bearer("secret")
        return test.downloader.task(for: request, policy: .with { $0.hooks = handler })
    }

    private func redirect(to location: String) async {
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: location]))
    }

    @Test("sees the redirect and what HTTP would do, and may change it")
    func changes() async throws {
        let task = task(
            TestHooks.redirect { response, request in
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
        let task = task(.refusingRedirects)
        await redirect(to: "https://elsewhere.example/a")
        #expect(await reason { try await task.body } == .redirectRejected("https://elsewhere.example/a"))
        #expect(test.transport.startedCount == 1)
    }

    @Test("does not lift the limit of redirects, whatever it does to the request")
    func limit() async {
        let task = task(
            TestHooks.redirect { _, request in
                var request = request
                request.limits.redirects = 1000
                request.followsRedirects = true
                return request
            }
        )
        for _ in 0...TransferLimits.standard.redirects { await redirect(to: "/again") }
        #expect(
            await reason { try await task.body }
                == .transfer(.tooManyRedirects(maximum: TransferLimits.standard.redirects))
        )
    }

    @Test("is not asked where redirects lead out of HTTP")
    func scheme() async {
        let task = task(
            TestHooks.redirect { _, request in
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

    @Test("of the request sees what the downloader's has chosen, and redirects that are not followed are the response")
    func order() async throws {
        func appending(_ word: String) -> TestHooks {
            .redirect { _, proposed in
                var request = proposed
                request.url.append(path: word)
                return request
            }
        }
        let test = TestDownloader(.with { $0.hooks = appending("downloader") })
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = appending("request") })
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/a"]))
        let second = await test.transport.nextTransfer()
        #expect(second.request.url.path() == "/a/downloader/request")
        second.answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))

        var request = TransferRequest(url: url)
        request.followsRedirects = false
        let plain = test.downloader.task(for: request)
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/a"], body: Data([2])))
        #expect(try await plain.body.response.status == 302)
    }

    @Test("does not wait for the long body of a redirect, nor is its length progress")
    func longBody() async throws {
        let task = task(TestHooks.redirect { $1 })
        let first = await test.transport.nextTransfer()
        first.respond(status: 302, headers: [.location: "/a", .contentLength: "1000000"])
        let second = await test.transport.nextTransfer()
        #expect(task.progress == ImageProgress())
        second.answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))
    }

    @Test("goes on although the short body of the redirect is cut off")
    func cutBody() async throws {
        let task = task(TestHooks.redirect { $1 })
        let first = await test.transport.nextTransfer()
        first.respond(status: 302, headers: [.location: "/a", .contentLength: "100"])
        first.fail(.connectionLost("cut off"))
        await test.transport.nextTransfer().answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))
    }

    @Test("has metrics of all requests of the download, those for credentials too")
    func metrics() async throws {
        let task = test.downloader.task(
            for: url,
            policy: .with {
                $0.hooks = TestHooks.credential { _ in .bearer("token") }
            }
        )
        func answer(_ status: Int, _ headers: HTTPFields, _ metrics: TransferMetrics) async {
            let transfer = await test.transport.nextTransfer()
            transfer.respond(status: status, headers: headers)
            transfer.finish(metrics)
        }
        let none: HTTPFields = [.contentLength: "0"]
        await answer(
            302,
            none.merged([.location: "/a"]),
            TransferMetrics(queued: .seconds(5), total: .seconds(6), bytesReceived: 100, bytesSent: 10)
        )
        await answer(
            401,
            none.merged([.wwwAuthenticate: "Bearer"]),
            TransferMetrics(queued: .seconds(7), total: .seconds(8), bytesReceived: 200, bytesSent: 20)
        )
        await answer(
            200,
            [:],
            TransferMetrics(
                queued: .seconds(1),
                connect: .seconds(2),
                firstByte: .seconds(3),
                total: .seconds(4),
                bytesReceived: 300,
                bytesSent: 30
            )
        )
        let metrics = try await task.body.metrics
        #expect(metrics.queued == .seconds(13))
        #expect(metrics.bytesReceived == 600 && metrics.bytesSent == 60)
        #expect(metrics.redirectCount == 1)
        // Times count from the beginning of the download; the ones not needed stay zero.
        let offset = metrics.total - .seconds(4)
        #expect(offset > .zero && metrics.redirected > .zero && metrics.redirected <= offset)
        #expect(metrics.firstByte == .seconds(3) + offset && metrics.connect == .seconds(2) + offset)
        #expect(metrics.nameLookup == .zero && metrics.secureConnection == .zero)
        #expect(metrics.body == .seconds(1))
    }

    @Test("is followed within the remaining time and header bytes of the download")
    func boundsOfTheWay() async throws {
        let limits = TransferLimits(headerBytes: 200)
        let request = TransferRequest(url: url, limits: limits)
        let policy = NetworkPolicy.with { $0.hooks = TestHooks.redirect { _, proposed in proposed } }
        let task = test.downloader.task(for: request, policy: policy)
        let first = await test.transport.nextTransfer()
        #expect(first.request.limits == limits && first.request.timeouts == .standard)
        let padding = String(repeating: "x", count: 90)
        first.answer(.init(status: 302, headers: [.location: "https://images.example/b", .server: padding]))
        let second = await test.transport.nextTransfer()
        #expect(second.request.limits.headerBytes < 200 - 90)
        #expect(second.request.timeouts.total < TransferTimeouts.standard.total)
        #expect(second.request.timeouts.idle == TransferTimeouts.standard.idle)
        second.answer(.init(headers: [.server: padding], body: Data([1])))
        #expect(await reason { try await task.body } == .transfer(.headersTooLarge(maximum: 200)))
    }
}

extension HTTPFields {
    /// Returns these headers and those of `others`.
    fileprivate func merged(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        for field in others { fields.append(field) }
        return fields
    }
}
