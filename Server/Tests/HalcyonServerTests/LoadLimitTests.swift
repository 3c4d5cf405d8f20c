import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonTesting
import HummingbirdTesting
import Testing

@testable import HalcyonServer

@Suite("A server with more to do than it can")
struct LoadLimitTests {
    /// A server with one thread, which a request for an image of 9 pixels keeps busy until the gate is opened.
    private struct BusyServer {
        let fixture: ServerFixture
        let gate = Gate()
        private let begun = Gate()

        init(queue: Int) async throws {
            let (gate, begun) = (gate, begun)
            let encoder = CustomImageEncoder(format: .png, cacheIdentity: "a") { pixels, options throws(CodecError) in
                if pixels.size.width == 9 {
                    begun.open()
                    gate.block()
                }
                return try ImageCodecs.standard.encode(pixels, as: .png, options: options)
            }
            let codecs = ImageCodecs.server.registering(encoder: encoder)
            fixture = try await ServerFixture(codecs: codecs) {
                $0.limits.concurrency = 1
                $0.limits.queue = queue
            }
            try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        }

        func status(_ width: Int) async throws -> Int {
            Int(try await fixture.answer(fixture.path(["w:\(width)", "f:png"])).status.code)
        }

        /// Begins the request that keeps the thread busy.
        func begin() async -> Task<Int, any Error> {
            let task = Task { try await status(9) }
            await begun.wait()
            return task
        }
    }

    @Test("Images of the cache are answered, described and made in other sizes while slow sources are awaited")
    func slowSources() async throws {
        let fixture = try await ServerFixture {
            $0.limits.concurrency = 1
            $0.limits.queue = 0
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        #expect(try await fixture.answer(fixture.path(["w:20"])).status == .ok)
        let slow = (0..<9).map { number in
            Task { try await fixture.answer(fixture.path(["w:20"], "https://origin.test/slow\(number).png")) }
        }
        var transfers: [ScriptedTransfer] = []
        for _ in slow { transfers.append(await fixture.transport.nextTransfer()) }
        for path in try [fixture.path(["w:20"]), fixture.path(["w:21"]), "/info" + fixture.path([])] {
            #expect(try await fixture.answer(path).status == .ok)
        }
        for transfer in transfers { transfer.answer(.init(status: 404)) }
        for request in slow { #expect(try await request.value.status == .notFound) }
    }

    @Test("An image of memory or disk is answered while no thread is free, and another one refused")
    func cached() async throws {
        let server = try await BusyServer(queue: 0)
        #expect(try await server.status(20) == 200)
        let busy = await server.begin()
        #expect(try await server.status(20) == 200)
        await server.fixture.server.pipeline.cache.flush()
        server.fixture.server.pipeline.cache.removeAllFromMemory()
        #expect(try await server.status(20) == 200)
        #expect(try await server.status(21) == 429)
        server.gate.open()
        #expect(try await busy.value == 200)
        #expect(try await server.status(21) == 200)
    }

    @Test("Health is answered while the queue is full, readiness says that it is, and requests are refused for now")
    func full() async throws {
        let server = try await BusyServer(queue: 1)
        let fixture = server.fixture
        let busy = await server.begin()
        #expect(try await fixture.answer("/ready").status == .ok)
        let waiting = Task { try await server.status(20) }
        let workers = try #require(fixture.server.pipeline.configuration.workers)
        while workers.waitingCount < 1 { await Task.yield() }
        #expect(try await fixture.answer("/health").status == .ok)
        #expect(try await fixture.answer("/ready").status == .serviceUnavailable)
        let refused = try await fixture.answer(fixture.path(["w:21", "f:png"]))
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "1")
        let metrics = String(buffer: try await fixture.answer("/metrics").body)
        #expect(metrics.contains("queue_running 1") && metrics.contains("queue_waiting 1"))
        server.gate.open()
        #expect(try await busy.value == 200)
        #expect(try await waiting.value == 200)
    }

    @Test("Interactive requests come before prefetches")
    func urgency() async throws {
        let server = try await BusyServer(queue: 10)
        let (fixture, order) = (server.fixture, Recorder<String>())
        let busy = await server.begin()
        let workers = try #require(fixture.server.pipeline.configuration.workers)
        var tasks: [Task<Void, any Error>] = []
        for (index, purpose) in ["prefetch", nil].enumerated() {
            tasks.append(
                Task {
                    let path = try fixture.path(["w:\(20 + index)", "f:png"])
                    var headers: HTTPFields = [:]
                    if let purpose { headers[try #require(HTTPField.Name("Sec-Purpose"))] = purpose }
                    _ = try await fixture.answer(path, headers)
                    order.add(purpose ?? "interactive")
                }
            )
            while workers.waitingCount < index + 1 { await Task.yield() }
        }
        server.gate.open()
        for task in tasks { try await task.value }
        _ = try await busy.value
        #expect(order.values == ["interactive", "prefetch"])
    }

    @Test("A host with as many transfers as may be is asked for no more, and others are")
    func slowHost() async throws {
        let fixture = try await ServerFixture { $0.limits.queue = 0 }
        try fixture.serve("https://other.test/cat.png", ServerFixture.png())
        let slow = (0..<64).map { number in
            Task { try await fixture.answer(fixture.path(["w:20"], "https://origin.test/\(number).png")) }
        }
        var transfers: [ScriptedTransfer] = []
        for _ in slow { transfers.append(await fixture.transport.nextTransfer()) }
        let next = try fixture.path(["w:20"], "https://origin.test/next.png")
        let refused = try await fixture.answer(next)
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "1")
        #expect(refused.headers[.cacheControl] == "no-store")
        #expect(try await fixture.answer(fixture.path(["w:20"], "https://other.test/cat.png")).status == .ok)
        for transfer in transfers { transfer.answer(.init(status: 404)) }
        for request in slow { _ = try await request.value }
        try fixture.serve("https://origin.test/next.png", ServerFixture.png())
        #expect(try await fixture.answer(next).status == .ok)
    }

    @Test("Work is cancelled at its deadline, and not before")
    func deadline() async throws {
        let clock = ManualClock()
        let work = Task {
            try await withDeadline(.seconds(5), clock: clock) {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        await #expect(throws: DeadlineExceeded.self) { try await work.value }
        #expect(try await withDeadline(.seconds(5), clock: clock) { 7 } == 7)
    }
}
