import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("Waiting for the network")
struct NetworkWaitingTests {
    private let network = ManualNetwork(isConnected: false)
    private let clock = ManualClock()
    private let online = NetworkStatus(isConnected: true, isMetered: false)

    @Test("returns at once when it is there, and listens to nothing")
    func connected() async throws {
        network.status = online
        #expect(try await network.waitUntilConnected(timeout: .seconds(1), clock: clock))
        #expect(network.listenerCount == 0)
    }

    @Test("returns when it comes, once, and leaves nobody listening")
    func comes() async throws {
        async let isConnected = network.waitUntilConnected(timeout: .seconds(30), clock: clock)
        await clock.waitForSleepers(1)
        // Another change first, which is none of its business.
        network.status = NetworkStatus(isConnected: false, isMetered: true)
        network.status = online
        network.status = NetworkStatus(isConnected: false, isMetered: false)
        network.status = online
        #expect(try await isConnected)
        #expect(network.listenerCount == 0)
        #expect(clock.sleeperCount == 0)
    }

    @Test(
        "gives up when the time is over, after 136 years at the latest",
        arguments: [(Int64(30), Int64(30)), (Int64.max, Int64(1) << 32)]
    )
    func timeout(limit: Int64, seconds: Int64) async throws {
        async let isConnected = network.waitUntilConnected(timeout: .seconds(limit), clock: clock)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(seconds))
        #expect(try await isConnected == false)
        #expect(network.listenerCount == 0)
    }

    @Test(
        "ends when its task is cancelled, with or without a time limit",
        arguments: [nil, Duration.seconds(30)]
    )
    func cancelled(timeout: Duration?) async throws {
        let waiting = Task { try await network.waitUntilConnected(timeout: timeout, clock: clock) }
        while network.listenerCount == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(network.listenerCount == 0)
        #expect(clock.sleeperCount == 0)
    }

    @Test("does not begin in a task that is cancelled already")
    func cancelledBefore() async throws {
        network.status = online
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await network.waitUntilConnected(clock: clock)
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
