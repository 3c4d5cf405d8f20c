import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load that is tried again")
struct RetryTests {
    private let recovery = RecoveryTest()
    private var transport: ScriptedTransport { recovery.transport }

    @Test("succeeds with the attempt that does")
    func success() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed(base: .seconds(3)))])
        await recovery.failOnce(then: .seconds(3))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        #expect(transport.startedCount == 2)
    }

    @Test("fails after its last attempt with the last error; waits of 3, 6 and 9 s")
    func exhausted() async throws {
        let strategy = BackoffStrategy.linear(maxAttempts: 4, base: .seconds(3))
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(strategy)])
        for seconds in [3, 6, 9] {
            await recovery.failOnce(500, then: .seconds(seconds))
        }
        await transport.nextTransfer().answer(.init(status: 502))
        #expect(try await task.failure().reason == .status(502))
        #expect(transport.startedCount == 4)
        #expect(recovery.clock.sleeperCount == 0)
    }

    @Test(
        "is not tried again for an error that another attempt cannot change",
        arguments: [400, 401, 403, 404, 410, 501]
    )
    func hopeless(status: Int) async throws {
        transport.serve(recovery.url, Data(), status: status)
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed())])
        #expect(try await task.failure().reason == .status(status))
        #expect(transport.startedCount == 1)
    }

    @Test("is not tried again for bytes that are no image, or for an image that may not be loaded")
    func notLoading() async throws {
        transport.serve(recovery.url, Data("no picture".utf8))
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed())])
        #expect(try await task.failure().stage == .decode)
        #expect(transport.startedCount == 1)
        let uncached = recovery.pipeline.task(for: Sample.url(), options: [.retry(.fixed()), .onlyFromCache])
        #expect(try await uncached.failure().reason == .notCached)
    }

    @Test("waits as long as the server asks, in seconds or until a date")
    func retryAfter() async throws {
        let task = recovery.pipeline.task(
            for: recovery.url,
            options: [.retry(.exponential(maxAttempts: 3, jitter: 0))]
        )
        await recovery.failOnce(429, headers: [.retryAfter: "17"], then: .seconds(17))
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let later = "Sun, 06 Nov 1994 08:50:07 GMT"
        await recovery.failOnce(503, headers: [.date: date, .retryAfter: later], then: .seconds(30))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("fails at once if the server asks for more time than is allowed, and says how much")
    func tooLongRetryAfter() async throws {
        transport.setRoute(recovery.url, .init(status: 503, headers: [.retryAfter: "3600"]))
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed())])
        #expect(try await task.failure().retryAfter == .seconds(3_600))
        #expect(transport.startedCount == 1)
    }

    @Test("shares its attempts with all loads that join, and keeps their urgency")
    func shared() async throws {
        let options: [ImageOption] = [.retry(.fixed(base: .seconds(3)))]
        let first = recovery.pipeline.task(for: recovery.url, options: options + [.priority(.low)])
        await transport.nextTransfer().answer(.init(status: 503))
        await recovery.clock.waitForSleepers(1)
        let second = recovery.pipeline.task(for: recovery.url, options: options + [.priority(.high)])
        await eventually { [recovery] in recovery.pipeline.stages.images.waiterCount == 2 }
        recovery.clock.advance(by: .seconds(3))
        let transfer = await transport.nextTransfer()
        #expect(transfer.request.priority == .high)
        transfer.answer(.init(body: Sample.png()))
        _ = try await (first.response, second.response)
        #expect(transport.startedCount == 2)
    }

    @Test("goes on for one waiter when another cancels during the wait or the attempt", arguments: [false, true])
    func oneLeaves(leavesDuringAttempt: Bool) async throws {
        let options: [ImageOption] = [.retry(.fixed(base: .seconds(3)))]
        let first = recovery.pipeline.task(for: recovery.url, options: options)
        await transport.nextTransfer().answer(.init(status: 503))
        await recovery.clock.waitForSleepers(1)
        let second = recovery.pipeline.task(for: recovery.url, options: options)
        await eventually { [recovery] in recovery.pipeline.stages.images.waiterCount == 2 }
        if !leavesDuringAttempt { first.cancel() }
        recovery.clock.advance(by: .seconds(3))
        let transfer = await transport.nextTransfer()
        if leavesDuringAttempt { first.cancel() }
        await #expect(throws: CancellationError.self) { try await first.response }
        transfer.answer(.init(body: Sample.png()))
        _ = try await second.response
        #expect(transport.startedCount == 2)
    }

    @Test("and cancelled while it waits ends at once, with no further request")
    func cancelledWait() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed())])
        await transport.nextTransfer().answer(.init(status: 503))
        await recovery.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await eventually { [recovery] in recovery.clock.sleeperCount == 0 }
        recovery.clock.advance(by: .seconds(1_000))
        await recovery.test.settle()
        #expect(transport.startedCount == 1)
    }

    @Test("and cancelled during its second attempt is not tried a third time")
    func cancelledAttempt() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.fixed(base: .seconds(3)))])
        await recovery.failOnce(then: .seconds(3))
        let transfer = await transport.nextTransfer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfer.waitUntilCancelled()
        await recovery.test.settle()
        #expect(transport.startedCount == 2)
        #expect(recovery.clock.sleeperCount == 0)
    }

    @Test("passes its strategy the last error and all before it")
    func context() async throws {
        let strategy = RecordingStrategy()
        for status in [500, 503] {
            async let answer: Void = transport.nextTransfer().answer(.init(status: status))
            if status == 500 {
                _ = recovery.pipeline.task(for: recovery.url, options: [.retry(strategy)])
            }
            await answer
        }
        let transfer = await transport.nextTransfer()
        #expect(strategy.log.withLock { $0.map(\.attemptCount) } == [1, 2])
        let last = try #require(strategy.log.withLock { $0.last })
        #expect(last.error.reason == .status(503))
        #expect(last.errors.map(\.reason) == [.status(500), .status(503)])
        #expect(last.source == .url(recovery.url))
        transfer.answer(.init(body: Sample.png()))
        await recovery.test.settle()
    }

    /// Tries as often as it says, with five seconds before each attempt but the first.
    private struct Attempts: RetryStrategy {
        let count: Int

        func decide(_ attempt: RetryContext) async -> RetryDecision {
            attempt.attemptCount < count ? .retry(after: .seconds(5)) : .stop
        }
    }

    @Test("asks a strategy of the program, and shares its attempts where the strategies are equal")
    func ownStrategy() async throws {
        let tasks = (0..<2).map { _ in
            recovery.pipeline.task(for: recovery.url, options: [.retry(Attempts(count: 2))])
        }
        await eventually { [recovery] in recovery.pipeline.stages.images.waiterCount == 2 }
        await recovery.failOnce(500, then: .seconds(5))
        await transport.nextTransfer().answer(.init(status: 502))
        for task in tasks { #expect(try await task.failure().reason == .status(502)) }
        #expect(transport.startedCount == 2)
    }

    @Test("ends after a hundred attempts even if its strategy never does")
    func bounded() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(RecordingStrategy())])
        #expect(try await task.failure().reason == .status(404))
        #expect(transport.startedCount == 100)
    }
}

/// A strategy that records its contexts, and tries again at once.
private struct RecordingStrategy: RetryStrategy {
    let log = Lock<[RetryContext]>([])

    func decide(_ attempt: RetryContext) async -> RetryDecision {
        log.withLock { $0.append(attempt) }
        return .retry(after: .zero)
    }

    static func == (left: RecordingStrategy, right: RecordingStrategy) -> Bool { left.log === right.log }

    func hash(into hasher: inout Hasher) {}
}
