import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

/// A pipeline whose clock stands still, and one URL whose responses a test sets.
final class ServerCachingFixture: Sendable {
    let clock = ManualStoreClock()
    let url = Sample.url()
    let test: TestPipeline

    init(recovery: RecoveryConfiguration = RecoveryConfiguration()) {
        test = TestPipeline(clock: clock.clock, recovery: recovery)
    }

    var transport: ScriptedTransport { test.transport }

    /// Sets the server's response from now on.
    func serve(_ body: Data, _ headers: HTTPFields, status: Int = 200) {
        transport.setRoute(url, .init(status: status, headers: headers, body: body))
    }

    func fail() {
        transport.setRoute(url, .init(error: .cannotConnect("images.example")))
    }

    /// Returns the error of a load; a success fails the test.
    func failure(_ options: [ImageOption] = []) async throws -> ImageError {
        try #require(await #expect(throws: ImageError.self) { try await self.load(options) })
    }

    /// Loads, and waits until everything is stored.
    func load(_ options: [ImageOption] = [], headers: HTTPFields = [:]) async throws -> ImageResponse {
        let source = Source.request(TransferRequest(url: url, headers: headers))
        let response = try await test.pipeline.response(for: ImageRequest(source, options: options))
        await test.settle()
        return response
    }

    func forgetMemory() {
        test.pipeline.cache.removeAllFromMemory()
    }

    /// The number of requests that the server has received.
    var requestCount: Int { transport.startedCount }

    var lastRequest: TransferRequest? { transport.transfers.last?.request }
}
