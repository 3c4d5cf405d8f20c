import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load that is cancelled in an interceptor")
struct InterceptorCancellationTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let reached = Gate()
    private let gate = Gate()

    private func task(_ load: @escaping @Sendable (InterceptedLoad) async throws -> LoadResult) -> ImageTask {
        test.pipeline.task(for: url, options: [.interceptors(TestInterceptor(load))])
    }

    private func expectNothing(of task: ImageTask) async {
        await #expect(throws: CancellationError.self) { try await task.response }
        await test.settle()
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
        #expect(task.state.hasEnded && task.finishedResponse == nil)
    }

    @Test("before it goes on sends nothing")
    func before() async {
        let task = task { [reached, gate] load in
            reached.open()
            await gate.wait()
            return try await load.proceed()
        }
        await reached.wait()
        task.cancel()
        gate.open()
        await expectNothing(of: task)
        #expect(test.transport.startedCount == 0)
    }

    @Test("while it waits for the load stops the transfer, and the interceptor sees that")
    func during() async {
        let log = CallLog()
        let task = test.pipeline.task(
            for: url,
            options: [.interceptors(RecordingInterceptor(name: "a", log: log))]
        )
        let transfer = await test.transport.nextTransfer()
        task.cancel()
        await transfer.waitUntilCancelled()
        await expectNothing(of: task)
        #expect(log.texts == ["prepare a", "load a", "fail a"])
    }

    @Test("gets no answer that comes too late")
    func late() async {
        let task = task { [reached, gate] _ in
            reached.open()
            await gate.wait()
            return .pixel
        }
        await reached.wait()
        task.cancel()
        gate.open()
        await expectNothing(of: task)
    }

    @Test("gets no error of its own that comes too late")
    func lateError() async {
        struct Failure: Error {}
        let task = task { [reached, gate] _ in
            reached.open()
            await gate.wait()
            throw Failure()
        }
        await reached.wait()
        task.cancel()
        gate.open()
        await expectNothing(of: task)
    }

    @Test("leaves the load of another caller under way")
    func others() async throws {
        let first = task { try await $0.proceed() }
        let second = test.pipeline.task(for: ImageRequest(url))
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.response }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await second.response.source == .network)
    }

    @Test("is one that goes on no more once the interceptor has returned")
    func ended() async throws {
        let kept = Lock<InterceptedLoad?>(nil)
        let task = task { load in
            kept.withLock { $0 = load }
            return .pixel
        }
        _ = try await task.response
        let load = try #require(kept.withLock { $0 })
        await #expect(throws: CancellationError.self) { try await load.proceed() }
        #expect(test.transport.startedCount == 0)
    }

    @Test("is as urgent as its task, at any moment")
    func priority() async throws {
        let priorities = Lock<[LoadPriority]>([])
        let task = task { [reached, gate] load in
            priorities.withLock { $0.append(load.priority) }
            reached.open()
            await gate.wait()
            priorities.withLock { $0.append(load.priority) }
            var request = load.request
            request.options.priority = .low
            return try await load.proceed(with: request)
        }
        await reached.wait()
        task.priority = .high
        gate.open()
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.priority == .high)
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        #expect(priorities.withLock { $0 } == [.normal, .high])
    }
}
