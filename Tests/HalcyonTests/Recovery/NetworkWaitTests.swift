import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load that waits for the network")
struct NetworkWaitTests {
    private let recovery = RecoveryTest(network: ManualNetwork(isConnected: false))
    private var transport: ScriptedTransport { recovery.transport }
    private let refused = ScriptedTransport.Route(error: .cannotConnect("no route"))
    private let online = NetworkStatus(isConnected: true, isMetered: false)

    @Test("is tried again as soon as the network is there, without any delay")
    func reconnected() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.waitForNetwork())])
        await transport.nextTransfer().answer(refused)
        await recovery.clock.waitForSleepers(1)
        #expect(transport.startedCount == 1)
        recovery.network.status = online
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        // The wait is over and no listener is left.
        #expect(recovery.network.listenerCount == 0)
        #expect(recovery.clock.sleeperCount == 0)
    }

    @Test("fails with the last error when the time is over")
    func timeout() async throws {
        let task = recovery.pipeline.task(
            for: recovery.url,
            options: [.retry(.waitForNetwork(timeout: .seconds(30)))]
        )
        await transport.nextTransfer().answer(refused)
        await recovery.clock.waitForSleepers(1)
        recovery.clock.advance(by: .seconds(30))
        #expect(try await task.failure().reason == .transfer(.cannotConnect("no route")))
        // A network that comes later starts nothing.
        recovery.network.status = online
        await recovery.test.settle()
        #expect(transport.startedCount == 1)
        #expect(recovery.network.listenerCount == 0)
    }

    @Test("and is cancelled sends nothing when the network comes")
    func cancelled() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.waitForNetwork(timeout: nil))])
        await transport.nextTransfer().answer(refused)
        await eventually { [recovery] in recovery.network.listenerCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await eventually { [recovery] in recovery.network.listenerCount == 0 }
        recovery.network.status = online
        await recovery.test.settle()
        #expect(transport.startedCount == 1)
    }

    @Test("is tried a bounded number of times, with a pause each, while the network is there")
    func connected() async throws {
        recovery.network.status = online
        let task = recovery.pipeline.task(
            for: recovery.url,
            options: [.retry(.waitForNetwork(maxAttempts: 3, delay: .seconds(1)))]
        )
        for _ in 0..<2 {
            await transport.nextTransfer().answer(refused)
            await recovery.clock.waitForSleepers(1)
            recovery.clock.advance(by: .seconds(1))
        }
        await transport.nextTransfer().answer(refused)
        #expect(try await task.failure().code == "cannotConnect")
        #expect(transport.startedCount == 3)
    }

    @Test("is not tried again after a response that no network changes, such as 404")
    func status() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        let task = recovery.pipeline.task(for: recovery.url, options: [.retry(.waitForNetwork())])
        #expect(try await task.failure().reason == .status(404))
        #expect(transport.startedCount == 1)
    }

    @Test("is not held back if it goes to this machine", arguments: ["127.0.0.1", "localhost", "[::1]", "a.localhost"])
    func loopback(host: String) async throws {
        let url = try #require(URL(string: "http://\(host):8080/picture.png"))
        let task = recovery.pipeline.task(for: url, options: [.retry(.waitForNetwork(delay: .seconds(1)))])
        await transport.nextTransfer().answer(refused)
        await recovery.clock.waitForSleepers(1)
        #expect(recovery.network.listenerCount == 0)
        recovery.clock.advance(by: .seconds(1))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        _ = try await task.response
    }
}
