import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A back-off")
struct BackoffStrategyTests {
    private let source = Source.url(Sample.url())

    private func error(_ reason: ImageError.Reason, retryAfter: Duration? = nil) -> ImageError {
        ImageError(stage: .load, reason: reason, source: "\(source)", retryAfter: retryAfter)
    }

    private func delays(_ strategy: BackoffStrategy) -> [Duration] {
        (1...4).map { strategy.delay(afterAttempt: $0) }
    }

    @Test("waits equally, in equal steps or in growing ones")
    func growth() {
        #expect(delays(.fixed(base: .seconds(3))) == [.seconds(3), .seconds(3), .seconds(3), .seconds(3)])
        #expect(delays(.linear(base: .seconds(3))) == [.seconds(3), .seconds(6), .seconds(9), .seconds(12)])
        #expect(delays(.exponential(jitter: 0)) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(
            delays(.exponential(factor: 3, maximum: .seconds(10)))
                == [.seconds(1), .seconds(3), .seconds(9), .seconds(10)]
        )
    }

    @Test("never waits longer than its maximum, whatever the numbers")
    func extremes() {
        let strategy = BackoffStrategy.exponential(base: .seconds(1), factor: 1e300, maximum: .seconds(60))
        #expect(strategy.delay(afterAttempt: .max) == .seconds(60))
        #expect(BackoffStrategy.fixed(base: .seconds(-1)).delay(afterAttempt: 1) == .zero)
        #expect(BackoffStrategy.linear(base: .zero).delay(afterAttempt: 9) == .zero)
        #expect(BackoffStrategy.exponential(factor: .nan, maximum: .seconds(9)).delay(afterAttempt: 5) <= .seconds(9))
    }

    @Test("takes a jitter that is no number for none", arguments: [Double.nan, -Double.infinity, -1])
    func noJitter(_ jitter: Double) {
        let strategy = BackoffStrategy.fixed(base: .seconds(8), jitter: jitter)
        #expect(strategy.delay(afterAttempt: 1, randomFraction: 0.5) == .seconds(8))
    }

    @Test("takes away the part that jitter and a random number give")
    func jitter() {
        let strategy = BackoffStrategy.fixed(base: .seconds(8), jitter: 0.5)
        #expect(strategy.delay(afterAttempt: 1, randomFraction: 0) == .seconds(8))
        #expect(strategy.delay(afterAttempt: 1, randomFraction: 0.5) == .seconds(6))
    }

    @Test("gets its random numbers from the generator of the pipeline")
    func seeded() async throws {
        let recovery = RecoveryTest(seed: 7)
        var generator = SeededGenerator(seed: 7)
        let fraction = Double(generator.next() >> 11) * 0x1p-53
        let strategy = BackoffStrategy.fixed(maxAttempts: 2, base: .seconds(8), jitter: 1)
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(strategy)])
        await recovery.failOnce(then: strategy.delay(afterAttempt: 1, randomFraction: fraction))
        await recovery.transport.nextTransfer().answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("counts the first attempt")
    func attempts() async {
        let failure = error(.status(503))
        let once = BackoffStrategy.fixed(maxAttempts: 1)
        #expect(await once.decide(RetryContext(source: source, error: failure)) == .stop)
        let twice = BackoffStrategy.fixed(maxAttempts: 2)
        #expect(await twice.decide(RetryContext(source: source, error: failure)) == .retry(after: .seconds(3)))
        let second = RetryContext(source: source, error: failure, previousErrors: [failure])
        #expect(await twice.decide(second) == .stop)
    }

    @Test("is longer, never shorter, when the server asks for time")
    func retryAfter() async {
        let strategy = BackoffStrategy.fixed(base: .seconds(3))
        let short = RetryContext(source: source, error: error(.status(503), retryAfter: .seconds(1)))
        #expect(await strategy.decide(short) == .retry(after: .seconds(3)))
        let long = RetryContext(source: source, error: error(.status(503), retryAfter: .seconds(20)))
        #expect(await strategy.decide(long) == .retry(after: .seconds(20)))
    }

    @Test(
        "is for these errors",
        arguments: [
            .transfer(.cannotConnect("")), .transfer(.cannotFindHost("")), .transfer(.connectionLost("")),
            .transfer(.timedOut(.idle)), .status(408), .status(425), .status(429), .status(500), .status(502),
            .status(503), .status(504),
        ] as [ImageError.Reason]
    )
    func retryable(reason: ImageError.Reason) {
        #expect(RetryableErrors.standard.contains(error(reason)))
    }

    @Test(
        "is not for these errors",
        arguments: [
            .status(404), .status(501), .notCached, .meteredNetwork, .emptyBody, .invalidURL(""),
            .transfer(.cancelled), .transfer(.responseRefused("")), .transfer(.untrustedServer("")),
            .transfer(.bodyTooLarge(maximum: 1)), .codec(.empty), .provider(""),
        ] as [ImageError.Reason]
    )
    func notRetryable(reason: ImageError.Reason) {
        #expect(!RetryableErrors.standard.contains(error(reason)))
    }

    @Test("is a value: equal ones make equal options")
    func equality() {
        let one = ImageOptions().applying([.retry(.exponential(maxAttempts: 3))])
        let same = ImageOptions().applying([.retry(.exponential(maxAttempts: 3))])
        let other = ImageOptions().applying([.retry(.exponential(maxAttempts: 4))])
        #expect(one == same)
        #expect(one.hashValue == same.hashValue)
        #expect(one != other)
        #expect(one != ImageOptions().applying([.retry(.waitForNetwork(maxAttempts: 3))]))
        var reset = one
        reset.recovery.retry = nil
        #expect(reset.recovery == RecoveryPolicy())
    }
}
