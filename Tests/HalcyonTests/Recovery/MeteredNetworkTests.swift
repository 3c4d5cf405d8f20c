import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A metered network")
struct MeteredNetworkTests {
    private let recovery = RecoveryTest(network: ManualNetwork(isMetered: true))
    private var transport: ScriptedTransport { recovery.transport }
    private let small = Sample.url("small.png")

    @Test("is used unless the options forbid it")
    func allowed() async throws {
        transport.serve(recovery.url, Sample.png())
        _ = try await recovery.pipeline.image(from: recovery.url)
        #expect(transport.startedCount == 1)
    }

    @Test("is asked for its price alone")
    func questions() async throws {
        struct Network: NetworkMonitoring {
            var isMetered: Bool { false }
            var status: NetworkStatus {
                Issue.record("the whole state takes system calls")
                return NetworkStatus(isConnected: true, isMetered: false)
            }
            var statusUpdates: AsyncStream<NetworkStatus> { AsyncStream { _ in } }
        }
        let test = TestPipeline(recovery: RecoveryConfiguration(network: Network()))
        let url = Sample.url()
        test.transport.serve(url, Sample.png(4, 3))
        #expect(try await test.pipeline.image(from: url, options: [.allowsMetered(false)]).size == PixelSize(4, 3))
    }

    @Test("carries the low-data source instead of the original")
    func lowData() async throws {
        transport.serve(small, Sample.png(8, 8))
        let response = try await recovery.pipeline.response(
            for: recovery.url,
            options: [.lowDataSource(.url(small))]
        )
        #expect(response.image.size == PixelSize(8, 8))
        #expect(response.substitution?.used == .url(small))
        #expect(response.substitution?.failures.map(\.error.reason) == [.meteredNetwork])
        #expect(transport.startedCount(recovery.url) == 0)
    }

    @Test("carries the low-data source once, then nothing else")
    func once() async throws {
        let mirror = Sample.url("mirror.png")
        transport.serve(small, Data(), status: 404)
        let task = recovery.pipeline.task(
            for: recovery.url,
            options: [.lowDataSource(.url(small)), .alternativeSources([.url(mirror), .url(small)])]
        )
        guard case .alternativesExhausted(let failures) = try await task.failure().reason else {
            Issue.record("another error")
            return
        }
        #expect(failures.map(\.error.reason) == [.meteredNetwork, .status(404), .meteredNetwork])
        #expect(failures.map(\.source) == [.url(recovery.url), .url(small), .url(mirror)])
        #expect(transport.transfers.map(\.request.url) == [small])
    }

    @Test("gives the low-data source its own attempts, as many as any source, and then none to another")
    func attempts() async throws {
        let options: [ImageOption] = [
            .lowDataSource(.url(small)), .retry(.fixed(maxAttempts: 3, base: .seconds(3))),
            .alternativeSources([.url(Sample.url("mirror.png"))]),
        ]
        let task = recovery.pipeline.task(for: recovery.url, options: options)
        await recovery.failOnce(then: .seconds(3))
        await recovery.failOnce(then: .seconds(3))
        await transport.nextTransfer().answer(.init(status: 503))
        _ = try await task.failure()
        #expect(transport.transfers.map(\.request.url) == [small, small, small])
    }

    @Test("is no reason to ignore what is cached")
    func cached() async throws {
        transport.serve(recovery.url, Sample.png())
        _ = try await recovery.pipeline.image(from: recovery.url)
        await recovery.pipeline.cache.flush()
        recovery.pipeline.cache.removeAllFromMemory()
        let response = try await recovery.pipeline.response(
            for: recovery.url,
            options: [.lowDataSource(.url(small))]
        )
        #expect(response.substitution == nil)
        #expect(transport.startedCount == 1)
    }

    @Test("that the options forbid fails what no cache has")
    func forbidden() async throws {
        let task = recovery.pipeline.task(for: recovery.url, options: [.allowsMetered(false)])
        let error = try await task.failure()
        #expect(error.reason == .meteredNetwork)
        #expect(error.code == "meteredNetwork")
        #expect(transport.startedCount == 0)
    }

    @Test("does not concern this machine")
    func loopback() async throws {
        let url = try #require(URL(string: "http://127.0.0.1/picture.png"))
        transport.serve(url, Sample.png())
        _ = try await recovery.pipeline.image(from: url, options: [.allowsMetered(false)])
    }

    @Test("that becomes free carries the original again")
    func free() async throws {
        recovery.network.status = NetworkStatus(isConnected: true, isMetered: false)
        transport.serve(recovery.url, Sample.png())
        let response = try await recovery.pipeline.response(
            for: recovery.url,
            options: [.lowDataSource(.url(small))]
        )
        #expect(response.substitution == nil)
        #expect(transport.startedCount(small) == 0)
    }
}
