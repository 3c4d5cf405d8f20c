import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The order of progress")
struct ProgressOrderTests {
    private let recovery = RecoveryTest()
    private var transport: ScriptedTransport { recovery.transport }

    private func begin(_ options: [ImageOption]) -> (ImageTask, AsyncStream<ImageProgress>.Iterator) {
        let task = recovery.pipeline.task(for: recovery.url, options: options)
        return (task, task.progressUpdates.makeAsyncIterator())
    }

    private func send(_ count: Int, of expected: Int) async -> ScriptedTransfer {
        let transfer = await transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "\(expected)"])
        transfer.send(Data(repeating: 0, count: count))
        return transfer
    }

    @Test("starts again where a retry starts from zero")
    func retry() async throws {
        let (task, updates) = begin([.retry(.exponential(maxAttempts: 2, jitter: 0))])
        var iterator = updates
        #expect(await iterator.next() == ImageProgress())
        let first = await send(900, of: 1_000)
        #expect(await iterator.next() == ImageProgress(receivedBytes: 900, expectedBytes: 1_000))
        first.fail(.connectionLost("test"))
        await recovery.clock.waitForSleepers(1)
        #expect(task.progress.receivedBytes == 900)
        recovery.clock.advance(by: .seconds(1))
        let second = await send(10, of: 1_000)
        #expect(await iterator.next() == ImageProgress(receivedBytes: 10, expectedBytes: 1_000))
        second.send(Data(repeating: 0, count: 10))
        #expect(await iterator.next()?.receivedBytes == 20)
        task.cancel()
    }

    @Test("starts again with another source, also where another load has begun that one before")
    func otherSource() async throws {
        let other = Sample.url()
        let earlier = recovery.pipeline.task(for: other)
        let shared = await send(10, of: 100)
        await eventually { earlier.progress.receivedBytes == 10 }
        let (task, _) = begin([.alternativeSources([.url(other)])])
        await send(900, of: 1_000).fail(.connectionLost("test"))
        await eventually { task.progress == ImageProgress(receivedBytes: 10, expectedBytes: 100) }
        shared.send(Data(repeating: 0, count: 10))
        #expect(task.progress.receivedBytes == 20)
        task.cancel()
        earlier.cancel()
    }

    /// A task whose work a test reports for.
    private func handle() async -> (TaskHandle<Void>, WorkContext, end: Gate) {
        let (handle, end) = (TaskHandle<Void>(priority: .normal), Gate())
        let slot = Lock<WorkContext?>(nil)
        handle.start { context in
            slot.withLock { $0 = context }
            await end.wait()
        }
        await eventually { slot.withLock { $0 } != nil }
        return (handle, slot.withLock { $0 } ?? WorkContext(priority: handle.priority, report: { _ in }), end)
    }

    @Test("has no report of an earlier attempt or source after one of a later one")
    func lateReports() async throws {
        let (handle, context, end) = await handle()
        let (first, second) = (context.nextAttempt(), context.nextAttempt())
        let other = context.ofSource(1)
        func report(_ count: Int, to context: WorkContext) -> Int {
            context.report(.progress(ProgressReport(progress: ImageProgress(receivedBytes: count))))
            return handle.progress.receivedBytes
        }
        #expect(report(90, to: first) == 90)
        #expect(report(80, to: first) == 90)
        #expect(report(10, to: second) == 10)
        #expect(report(100, to: first) == 10)
        #expect(report(5, to: other.nextAttempt()) == 5)
        #expect(report(200, to: second) == 5)
        end.open()
        try await handle.result.get()
    }

    @Test("is that of the bytes, whichever thread reports first, and has the last report before the end")
    func threads() async throws {
        let (handle, context, end) = await handle()
        let attempt = context.nextAttempt()
        let reader = Task { [updates = handle.progressUpdates] in
            var counts: [Int] = []
            for await progress in updates { counts.append(progress.receivedBytes) }
            return counts
        }
        let count = 2_000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in stride(from: thread + 1, through: count, by: 4) {
                        attempt.report(.progress(ProgressReport(progress: ImageProgress(receivedBytes: number))))
                    }
                }
            }
        }
        end.open()
        try await handle.result.get()
        let counts = await reader.value
        #expect(counts == counts.sorted())
        #expect(counts.last == count)
    }

    @Test("is kept by shared work for loads that join it, although a report comes late")
    func sharedWork() async throws {
        let (work, end) = (WorkCoalescer<Int, Void>(), Gate())
        let (slot, seen) = (Lock<WorkContext?>(nil), Lock<[Int]>([]))
        let context = WorkContext(priority: PriorityBox(.normal)) { report in
            if case .progress(let report) = report { seen.withLock { $0.append(report.progress.receivedBytes) } }
        }
        let wait: @Sendable () async throws -> Void = {
            try await work.value(for: 0, context: context) { context in
                slot.withLock { $0 = context }
                await end.wait()
            }
        }
        async let first: Void = wait()
        await eventually { slot.withLock { $0 } != nil }
        let attempt = try #require(slot.withLock { $0 }).nextAttempt()
        for count in [20, 10] {
            attempt.report(.progress(ProgressReport(progress: ImageProgress(receivedBytes: count))))
        }
        async let second: Void = wait()
        await eventually { seen.withLock { $0.count } == 2 }
        #expect(seen.withLock { $0 } == [20, 20])
        end.open()
        _ = try await (first, second)
    }
}
