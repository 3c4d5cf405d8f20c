import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

/// A pipeline whose time and network a test controls.
struct RecoveryTest {
    let clock = ManualClock()
    let network: ManualNetwork
    let test: TestPipeline
    let url = Sample.url()

    init(network: ManualNetwork = ManualNetwork(), seed: UInt64 = 1) {
        self.network = network
        test = TestPipeline(
            recovery: RecoveryConfiguration(
                network: network,
                clock: clock,
                generator: SeededGenerator(seed: seed)
            )
        )
    }

    var pipeline: ImagePipeline { test.pipeline }
    var transport: ScriptedTransport { test.transport }

    /// Fails the next transfer, expects the load to sleep for `delay`, and wakes it.
    func failOnce(_ status: Int = 503, headers: HTTPFields = [:], then delay: Duration) async {
        await transport.nextTransfer().answer(.init(status: status, headers: headers))
        await clock.waitForSleepers(1)
        clock.advance(by: delay - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
    }
}

extension ImageTask {
    /// Returns the error of the load; a success fails the test.
    func failure() async throws -> ImageError {
        try #require(await #expect(throws: ImageError.self) { try await self.response })
    }
}
