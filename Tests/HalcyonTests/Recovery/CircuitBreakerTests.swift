import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    private let clock: ManualClock
    private let breaker: CircuitBreaker
    private let test: TestPipeline

    init() {
        let clock = ManualClock()
        var configuration = CircuitBreaker.Configuration()
        configuration.threshold = 3
        let breaker = CircuitBreaker(configuration, clock: clock)
        self.clock = clock
        self.breaker = breaker
        test = TestPipeline(recovery: RecoveryConfiguration(clock: clock, circuitBreaker: breaker))
    }

    private func url(_ host: String = "images.example") throws -> URL {
        try #require(URL(string: "https://\(host)/\(UUID().uuidString).png"))
    }

    @discardableResult
    private func fail(_ host: String = "images.example", status: Int = 500) async throws -> ImageError {
        let url = try url(host)
        test.transport.serve(url, Data(), status: status)
        return try await test.pipeline.task(for: url).failure()
    }

    private func succeed() async throws {
        let url = try url()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.image(from: url)
    }

    private var state: CircuitBreaker.State { get throws { breaker.state(of: try url()) } }

    @Test("opens at the threshold, for that server only, and then nothing is sent")
    func opens() async throws {
        for count in 1...2 {
            try await fail()
            #expect(try state == .closed(failures: count))
        }
        try await fail()
        #expect(try state == .open(remaining: .seconds(30)))
        let error = try await fail()
        #expect(error.reason == .serverUnavailable("images.example:443"))
        #expect(error.retryAfter == .seconds(30))
        #expect(test.transport.startedCount == 3)
        #expect(try await fail("other.example").reason == .status(500))
    }

    @Test("has circuits of its own for a transport that takes the place of another")
    func transports() async throws {
        for _ in 1...3 { try await fail() }
        #expect(try state == .open(remaining: .seconds(30)))
        let (other, working) = (ScriptedTransport(), try url())
        let downloader = test.pipeline.configuration.downloader
        downloader.updateConfiguration(downloader.configuration, transport: other)
        other.serve(working, Sample.png())
        #expect(try await test.pipeline.response(for: working).source == .network)
        #expect(try state == .closed(failures: 0))
        // The same transport goes on with what is known of it.
        downloader.updateConfiguration(.init(name: "renamed"))
        for _ in 1...3 {
            let broken = try url()
            other.serve(broken, Data(), status: 500)
            _ = try await test.pipeline.task(for: broken).failure()
        }
        #expect(try state == .open(remaining: .seconds(30)))
        #expect(other.startedCount == 4)
    }

    @Test("closes with a success in between, and forgets failures of long ago")
    func closes() async throws {
        try await fail()
        try await fail()
        try await succeed()
        #expect(try state == .closed(failures: 0))
        try await fail()
        try await fail()
        clock.advance(by: .seconds(60))
        #expect(try state == .closed(failures: 0))
        try await fail()
        #expect(try state == .closed(failures: 1))
    }

    @Test("counts answers such as 404 as successes")
    func answers() async throws {
        for _ in 0..<2 { try await fail() }
        try await fail(status: 404)
        #expect(try state == .closed(failures: 0))
    }

    @Test("counts an answer without a body as a success too", arguments: [false, true])
    func emptyAnswers(ignoresServer: Bool) async throws {
        let options: [ImageOption] = ignoresServer ? [.ignoringServer] : []
        for _ in 0..<2 { try await fail() }
        let url = try url()
        test.transport.serve(url, Data())
        let task = test.pipeline.task(for: url, options: options)
        #expect(try await task.failure().reason == .emptyBody)
        #expect(try state == .closed(failures: 0))
    }

    @Test("lets one load through after a while; its success closes the circuit")
    func probe() async throws {
        for _ in 0..<3 { try await fail() }
        clock.advance(by: .seconds(30))
        #expect(try state == .halfOpen)
        let task = test.pipeline.task(for: try url())
        let transfer = await test.transport.nextTransfer()
        // The second is refused while the first is under way.
        #expect(try await fail().code == "serverUnavailable")
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        #expect(try state == .closed(failures: 0))
    }

    @Test("opens again if that one load fails")
    func failedProbe() async throws {
        for _ in 0..<3 { try await fail() }
        clock.advance(by: .seconds(30))
        #expect(try await fail().reason == .status(500))
        #expect(try state == .open(remaining: .seconds(30)))
    }

    @Test("lets another one through if that one is cancelled")
    func cancelledProbe() async throws {
        for _ in 0..<3 { try await fail() }
        clock.advance(by: .seconds(30))
        let transfer = TransferRequest(url: try url())
        let stages = test.pipeline.stages
        let pending = stages.resolver.begin(ImageRequest(.request(transfer)))
        let (request, recovery) = (try #require(pending.resolved), stages.recovery)
        let probe = Task { [test] in
            try await recovery.exchange(request) { try await test.pipeline.configuration.downloader.download(transfer) }
        }
        _ = await test.transport.nextTransfer()
        probe.cancel()
        await #expect(throws: CancellationError.self) { try await probe.value }
        #expect(try await fail().reason == .status(500))
        #expect(try state == .open(remaining: .seconds(30)))
    }

    @Test("opens at once for as long as the server asks, up to its limit", arguments: [(7, 7), (9_999, 600)])
    func retryAfter(asked: Int, granted: Int) async throws {
        let url = try url()
        test.transport.setRoute(url, .init(status: 429, headers: [.retryAfter: "\(asked)"]))
        _ = try await test.pipeline.task(for: url).failure()
        #expect(try state == .open(remaining: .seconds(granted)))
        breaker.reset(url)
        #expect(try state == .closed(failures: 0))
    }

    @Test("works with attempts that wait for as long as the server asks")
    func withRetry() async throws {
        let url = try url()
        let task = test.pipeline.task(for: url, options: [.retry(.fixed(base: .seconds(1)))])
        await test.transport.nextTransfer().answer(.init(status: 503, headers: [.retryAfter: "20"]))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(20))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        _ = try await task.response
        #expect(try state == .closed(failures: 0))
    }

    @Test("remembers a bounded number of servers, the latest ones")
    func bounded() throws {
        var configuration = CircuitBreaker.Configuration()
        configuration.capacity = 2
        let breaker = CircuitBreaker(configuration, clock: clock)
        for host in ["a", "b", "c"] {
            let url = try url(host)
            let permit = try #require(try breaker.admit(TransferRequest(url: url)))
            breaker.failed(permit, ImageError(stage: .load, reason: .status(500), source: "\(url)"))
        }
        #expect(try breaker.state(of: url("a")) == .closed(failures: 0))
        #expect(try breaker.state(of: url("c")) == .closed(failures: 1))
        try breaker.reset(url("c"))
        #expect(try breaker.state(of: url("c")) == .closed(failures: 0))
    }
}
