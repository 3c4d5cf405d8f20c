import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Cancelling downloads")
struct DownloadCancellationTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    @Test("one caller fails at once and leaves the others alone")
    func one() async throws {
        let first = test.downloader.task(for: url)
        let second = test.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        await test.waiters(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.body }
        #expect(!transfer.isCancelled)
        transfer.answer(.init(body: Data([1])))
        #expect(try await second.body.data == Data([1]))
    }

    @Test("the last caller stops the transfer")
    func last() async throws {
        let tasks = (0..<3).map { _ in test.downloader.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        await test.waiters(3)
        for task in tasks { task.cancel() }
        await transfer.waitUntilCancelled()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.body } }
        await test.settle()
        #expect(test.log.words == ["started", "finished cancelled"])
    }

    @Test("a URL ends all calls that wait for it and no others")
    func byURL() async throws {
        let other = Sample.url()
        let tasks = (0..<3).map { _ in test.downloader.task(for: url) }
        let spared = test.downloader.task(for: other)
        await test.waiters(4)
        test.downloader.cancel(url)
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.body } }
        await eventually { [test] in test.transport.startedCount(other) == 1 }
        for transfer in test.transport.transfers where transfer.request.url == other {
            transfer.answer(.init(body: Data([1])))
        }
        #expect(try await spared.body.data == Data([1]))
    }

    @Test("a URL ends calls whose request was modified to it, and calls that asked for it before")
    func byModifiedURL() async throws {
        let mirror = Sample.url()
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.request { request in
                var request = request
                request.url = mirror
                return request
            }
        }
        for cancelled in [url, mirror] {
            let task = test.downloader.task(for: url, policy: policy)
            await test.waiters(1)
            test.downloader.cancel(cancelled)
            await #expect(throws: CancellationError.self) { try await task.body }
        }
    }

    @Test("all ends all, the async ones too, and new ones may begin")
    func all() async throws {
        let task = test.downloader.task(for: url)
        async let direct = test.downloader.download(from: Sample.url())
        await test.waiters(2)
        test.downloader.cancelAll()
        await #expect(throws: CancellationError.self) { try await task.body }
        do {
            _ = try await direct
            Issue.record("the download was not cancelled")
        } catch {
            #expect(error is CancellationError)
        }
        test.transport.serve(url, Data([1]))
        #expect(try await test.downloader.download(from: url).data == Data([1]))
    }

    @Test("before the modifier has answered sends nothing")
    func beforeTheStart() async throws {
        let (entered, gate) = (Gate(), Gate())
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.request { request in
                entered.open()
                await gate.wait()
                return request
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        await entered.wait()
        task.cancel()
        // At once: the modifier still waits.
        await #expect(throws: CancellationError.self) { try await task.body }
        gate.open()
        await test.settle()
        #expect(test.transport.startedCount == 0)
        #expect(test.log.words == [])
    }

    @Test("right after the start ends each of fifty exactly once")
    func fifty() async throws {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { [test, url] in
                    do {
                        _ = try await test.downloader.download(from: url)
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
            }
            group.cancelAll()
            for await isCancelled in group { #expect(isCancelled) }
        }
        await test.settle()
    }

    @Test("between two attempts sends no second request")
    func betweenAttempts() async throws {
        let (entered, gate) = (Gate(), Gate())
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.redirect { _, request in
                entered.open()
                await gate.wait()
                return request
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        await test.transport.nextTransfer().answer(.init(status: 302, headers: [.location: "/next"]))
        await entered.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.body }
        gate.open()
        await test.settle()
        #expect(test.transport.startedCount == 1)
    }

    @Test("after the end does nothing")
    func afterTheEnd() async throws {
        test.transport.serve(url, Data([1]))
        let task = test.downloader.task(for: url)
        _ = try await task.body
        task.cancel()
        test.downloader.cancelAll()
        #expect(try await task.body.data == Data([1]))
    }

    @Test("by shutting down also fails later calls, on every entry point")
    func shutdown() async throws {
        let running = test.downloader.task(for: url)
        await test.waiters(1)
        test.downloader.shutdown()
        await #expect(throws: CancellationError.self) { try await running.body }
        let later = test.downloader.task(for: url)
        #expect(await reason { try await later.body } == .downloaderShutDown)
        #expect(await reason { try await test.downloader.download(from: url) } == .downloaderShutDown)
    }

    @Test("is not what releasing a downloader does: its downloads are completed", .timeLimit(.minutes(5)))
    func release() async throws {
        let transport = ScriptedTransport()
        var downloader: ImageDownloader? = ImageDownloader(transport: transport)
        weak let released = downloader
        let task = try #require(downloader).task(for: url)
        let transfer = await transport.nextTransfer()
        downloader = nil
        transfer.answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))
        while !Task.isCancelled, released != nil { await Task.yield() }
        #expect(released == nil)
    }
}
