import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Events of a downloader")
struct DownloadEventTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    @Test("are one start, one response and one finish, whatever the end")
    func once() async throws {
        let missing = Sample.url()
        let broken = Sample.url()
        test.transport.serve(url, Data([1]))
        test.transport.serve(missing, Data([1]), status: 404)
        test.transport.setRoute(broken, .init(error: .connectionLost("reset")))
        for url in [url, missing, broken] {
            _ = try? await test.downloader.download(from: url)
            await test.settle()
        }
        #expect(
            test.log.words == [
                "started", "responded 200", "finished", "started", "responded 404", "finished status", "started",
                "finished connectionLost",
            ]
        )
    }

    @Test("are not caused by callers who join")
    func joiners() async throws {
        let tasks = (0..<5).map { _ in test.downloader.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        await test.waiters(5)
        tasks[0].cancel()
        transfer.answer(.init(body: Data([1])))
        for task in tasks.dropFirst() { _ = try await task.body }
        await test.settle()
        #expect(test.log.words == ["started", "responded 200", "finished"])
    }

    @Test("begin with the start, which comes after the modifier and before the request")
    func startFirst() async throws {
        let log = test.log
        let before = Lock<[String]?>(nil)
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.request { request in
                before.withLock { $0 = log.words }
                await Task.yield()
                return request
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        let transfer = await test.transport.nextTransfer()
        #expect(before.withLock { $0 } == [])
        #expect(log.words == ["started"])
        transfer.answer(.init(body: Data([1])))
        _ = try await task.body
    }

    @Test("are one of each for a transfer with redirects and authentication on its way")
    func interim() async throws {
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.credential { _ in .bearer("token") }
        }
        let task = test.downloader.task(for: url, policy: policy)
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/next"]))
        await test.transport.nextTransfer().answer(.init(status: 401, headers: [.wwwAuthenticate: "Bearer"]))
        await test.transport.nextTransfer().answer(.init(body: Data([1])))
        _ = try await task.body
        await test.settle()
        #expect(test.log.words == ["started", "responded 200", "finished"])
    }

    @Test("come with transfers, requests and metrics")
    func contents() async throws {
        let task = test.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.finish(TransferMetrics(queued: .seconds(1), total: .seconds(3), bodyBytesReceived: 4 << 20))
        _ = try await task.body
        await test.settle()
        let events = test.log.all
        #expect(events.count == 3 && events.allSatisfy { $0.transfer == 1 && $0.request.url == url })
        guard case .finished(let result) = events.last?.kind else {
            Issue.record("the last event is not the end")
            return
        }
        #expect(try result.get().downloadSpeedMebibytes == 2)
        #expect(TransferMetrics().downloadSpeed == nil)
    }

    @Test("come from a downloader of any name, none included")
    func name() async throws {
        let downloader = ImageDownloader(transport: test.transport, configuration: .init(name: ""))
        test.transport.serve(url, Data([1]))
        #expect(try await downloader.download(from: url).data == Data([1]))
    }
}
