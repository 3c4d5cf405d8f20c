import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A cached image whose server has failed")
struct CachedImageRecoveryTests {
    private let clock: ManualClock
    private let memory: FailureMemory
    private let fixture: ServerCachingFixture

    init() {
        let clock = ManualClock()
        let memory = FailureMemory(clock: clock)
        self.clock = clock
        self.memory = memory
        fixture = ServerCachingFixture(recovery: RecoveryConfiguration(clock: clock, failureMemory: memory))
    }

    /// Caches an image, and advances the clock by `age` seconds.
    private func cacheImage(_ cacheControl: String, age: TimeInterval) async throws {
        fixture.serve(Sample.png(), [.cacheControl: cacheControl, .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.advance(by: age)
        fixture.forgetMemory()
    }

    private func rememberFailure() {
        let error = ImageError(stage: .load, reason: .status(404), source: "\(fixture.url)")
        let generation = fixture.test.pipeline.configuration.downloader.setup.generation
        memory.record(error, for: FailedRequest(TransferRequest(url: fixture.url), generation: generation))
    }

    @Test("is shown while it is fresh, whatever is remembered")
    func fresh() async throws {
        try await cacheImage("max-age=60", age: 59)
        rememberFailure()
        #expect(try await fixture.load().source == .disk)
        #expect(memory.count == 1)
        #expect(fixture.requestCount == 1)
    }

    @Test("is fresh again once its server has confirmed it, which removes the remembered failure")
    func confirmed() async throws {
        try await cacheImage("max-age=60, must-revalidate", age: 60)
        rememberFailure()
        clock.advance(by: .seconds(300))
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(memory.count == 0)
        rememberFailure()
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("is not shown stale where a remembered refusal stops the request, as if it had been sent")
    func staleForMemory() async throws {
        try await cacheImage("max-age=60", age: 100)
        rememberFailure()
        #expect(try await fixture.failure().reason == .failedBefore(.status(404)))
        #expect(fixture.requestCount == 1)
    }

    @Test("is loaded anew on request, whatever is remembered")
    func forceRefresh() async throws {
        try await cacheImage("max-age=60", age: 100)
        rememberFailure()
        #expect(try await fixture.load([.forceRefresh]).source == .network)
        #expect(memory.count == 0)
    }

    @Test("is shown instead of a failure, and its server gets no request for as long as it asks")
    func staleIfError() async throws {
        try await cacheImage("max-age=60, stale-if-error=600", age: 100)
        fixture.serve(Data(), [.retryAfter: "400"], status: 503)
        for _ in 0..<2 {
            #expect(try await fixture.load().source == .disk)
            fixture.forgetMemory()
            #expect(fixture.requestCount == 2)
        }
        #expect(memory.failure(for: fixture.url)?.reason == .status(503))
        clock.advance(by: .seconds(400))
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 3)
    }

    @Test("fails with what its server asks for, if it may not be shown")
    func retryAfterError() async throws {
        try await cacheImage("max-age=60, must-revalidate", age: 100)
        fixture.serve(Data(), [.retryAfter: "400"], status: 503)
        let error = try await fixture.failure()
        #expect(error.reason == .status(503))
        #expect(error.retryAfter == .seconds(400))
        #expect(try await fixture.failure().reason == .failedBefore(.status(503)))
        #expect(fixture.requestCount == 2)
    }

    @Test("is asked for again after as long as its server asks")
    func retry() async throws {
        try await cacheImage("max-age=60, must-revalidate", age: 100)
        fixture.transport.setRoute(fixture.url, nil)
        let options: [ImageOption] = [.retry(.fixed(base: .seconds(1)))]
        let task = fixture.test.pipeline.task(for: fixture.url, options: options)
        await fixture.transport.nextTransfer().answer(.init(status: 503, headers: [.retryAfter: "20"]))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(19))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        let transfer = await fixture.transport.nextTransfer()
        #expect(transfer.request.headers[.ifNoneMatch] == "\"a\"")
        transfer.answer(.init(status: 304))
        #expect(try await task.response.source == .disk)
    }

    @Test("is not refreshed in the background for as long as its server asks")
    func staleWhileRevalidate() async throws {
        try await cacheImage("max-age=60, stale-while-revalidate=600", age: 100)
        fixture.serve(Data(), [.retryAfter: "400"], status: 503)
        for _ in 0..<2 {
            #expect(try await fixture.load().source == .disk)
            await fixture.test.pipeline.stages.original.refresher.wait()
            fixture.forgetMemory()
            #expect(fixture.requestCount == 2)
        }
    }
}

@Suite("A cached image whose server's circuit is open")
struct CachedImageBreakerTests {
    private let breaker: CircuitBreaker
    private let fixture: ServerCachingFixture

    init() {
        let clock = ManualClock()
        let breaker = CircuitBreaker(clock: clock)
        self.breaker = breaker
        fixture = ServerCachingFixture(recovery: RecoveryConfiguration(clock: clock, circuitBreaker: breaker))
    }

    private func cacheStaleImage(_ cacheControl: String) async throws {
        fixture.serve(Sample.png(), [.cacheControl: cacheControl])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
    }

    /// Opens the circuit with a failure of another image of the same server.
    private func openCircuit() async throws {
        let url = Sample.url()
        fixture.transport.setRoute(url, .init(status: 429, headers: [.retryAfter: "30"]))
        _ = try await fixture.test.pipeline.task(for: url).failure()
        #expect(breaker.state(of: fixture.url) == .open(remaining: .seconds(30)))
    }

    @Test("is shown although it is stale, and nothing is sent")
    func stale() async throws {
        try await cacheStaleImage("max-age=60")
        try await openCircuit()
        let count = fixture.requestCount
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == count)
    }

    @Test("is not shown unconfirmed where the server forbids it")
    func mustRevalidate() async throws {
        try await cacheStaleImage("max-age=60, must-revalidate")
        try await openCircuit()
        let error = try await fixture.failure()
        #expect(error.code == "serverUnavailable")
        #expect(error.retryAfter == .seconds(30))
    }

    @Test("opens the circuit with its own failure too, although a stale image is shown")
    func retryAfter() async throws {
        try await cacheStaleImage("max-age=60, stale-if-error=600")
        fixture.serve(Data(), [.retryAfter: "40"], status: 503)
        #expect(try await fixture.load().source == .disk)
        #expect(breaker.state(of: fixture.url) == .open(remaining: .seconds(40)))
    }
}
