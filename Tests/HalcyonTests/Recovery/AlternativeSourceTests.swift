import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Alternative sources")
struct AlternativeSourceTests {
    @Test("are cached although the first source is not")
    func cachedAlternative() async throws {
        let test = TestPipeline()
        let url = Sample.url()
        test.transport.serve(url, Sample.png())
        let options: [ImageOption] = [.alternativeSources([.url(url)])]
        for source in [ImageResponse.Source.network, .memory] {
            let response = try await test.pipeline.response(for: ImageRequest(.data(Data([1])), options: options))
            #expect(response.source == source)
            await test.settle()
        }
        test.pipeline.cache.removeAllFromMemory()
        #expect(
            try await test.pipeline.response(for: ImageRequest(.data(Data([1])), options: options)).source
                == .disk
        )
    }

    private let recovery = RecoveryTest()
    private var transport: ScriptedTransport { recovery.transport }
    private let urls = (0..<3).map { Sample.url("\($0).png") }
    private var sources: [Source] { urls.map { .url($0) } }

    private func task(_ alternatives: [Source], _ more: [ImageOption] = []) -> ImageTask {
        recovery.pipeline.task(for: recovery.url, options: [.alternativeSources(alternatives)] + more)
    }

    @Test("are not loaded while the first source succeeds")
    func unneeded() async throws {
        transport.serve(recovery.url, Sample.png())
        let response = try await task(sources).response
        #expect(response.substitution == nil)
        #expect(transport.startedCount == 1)
    }

    @Test("are tried in order, and the response says which one it is")
    func second() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        transport.serve(urls[0], Data("no picture".utf8))
        transport.serve(urls[1], Sample.png())
        let response = try await task(sources).response
        let substitution = try #require(response.substitution)
        #expect(substitution.requested == .url(recovery.url))
        #expect(substitution.used == sources[1])
        #expect(substitution.failures.map(\.source) == [.url(recovery.url), sources[0]])
        #expect(substitution.failures.map(\.error.stage) == [.load, .decode])
        #expect(transport.transfers.map(\.request.url) == [recovery.url, urls[0], urls[1]])
    }

    @Test("that all fail give all errors in their order")
    func exhausted() async throws {
        for (url, status) in zip([recovery.url] + urls, [404, 500, 410, 403]) {
            transport.serve(url, Data(), status: status)
        }
        let error = try await task(sources).failure()
        guard case .alternativesExhausted(let failures) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(failures.map(\.source) == [.url(recovery.url)] + sources)
        #expect(failures.map(\.error.reason) == [.status(404), .status(500), .status(410), .status(403)])
        #expect(error.code == "alternativesExhausted")
        #expect(error.source == recovery.url.absoluteString)
        #expect(error.description.contains("410"))
    }

    @Test("are used at most once each, however often they are named")
    func repeated() async throws {
        for url in [recovery.url] + urls { transport.serve(url, Data(), status: 404) }
        _ = try await task([sources[0], .url(recovery.url), sources[0], sources[1], sources[0]]).failure()
        #expect(transport.transfers.map(\.request.url) == [recovery.url, urls[0], urls[1]])
    }

    @Test("that are malformed hashes are tried once each, also with a contrast that is no number")
    func unequalHashes() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        let hash = Source.blurHash("malformed", punch: .nan)
        let error = try await task([hash, hash, .blurHash("other", punch: .nan)]).failure()
        guard case .alternativesExhausted(let failures) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(failures.map(\.source) == [.url(recovery.url), hash, .blurHash("other", punch: .nan)])
    }

    @Test("that are none leave the error of the source as it is")
    func none() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        #expect(try await task([.url(recovery.url)]).failure().reason == .status(404))
    }

    @Test("are not tried when the load is cancelled")
    func cancelled() async throws {
        let task = task(sources)
        let transfer = await transport.nextTransfer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfer.waitUntilCancelled()
        await recovery.test.settle()
        #expect(transport.startedCount == 1)
    }

    @Test("end when the load is cancelled while one of them is tried: the handle is always the same")
    func cancelledAlternative() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        let task = task(sources)
        let transfer = await transport.nextTransfer()
        #expect(transfer.request.url == urls[0])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfer.waitUntilCancelled()
        await recovery.test.settle()
        #expect(transport.startedCount == 2)
    }

    @Test("are not tried when a provider's load is cancelled")
    func cancelledProvider() async throws {
        let provider = StubbornProvider()
        let task = recovery.pipeline.task(
            for: ImageRequest(.provider(provider), options: [.alternativeSources(sources)])
        )
        await provider.hasStarted.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        provider.mayFail.open()
        await recovery.test.settle()
        #expect(transport.startedCount == 0)
    }

    @Test("come after the attempts of the source")
    func afterRetry() async throws {
        let task = task([sources[0]], [.retry(.fixed(maxAttempts: 2, base: .seconds(3)))])
        await recovery.failOnce(then: .seconds(3))
        await transport.nextTransfer().answer(.init(status: 503))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.response.substitution?.used == sources[0])
        #expect(transport.transfers.map(\.request.url) == [recovery.url, recovery.url, urls[0]])
    }

    @Test("each have as many attempts as the source, and the delays of a first failure")
    func ownAttempts() async throws {
        let strategy = BackoffStrategy.exponential(maxAttempts: 3, base: .seconds(1), jitter: 0)
        let task = task([sources[0], sources[1]], [.retry(strategy)])
        for url in [recovery.url, urls[0]] {
            await recovery.failOnce(then: .seconds(1))
            await recovery.failOnce(then: .seconds(2))
            let last = await transport.nextTransfer()
            #expect(last.request.url == url)
            last.answer(.init(status: 503))
        }
        await recovery.failOnce(then: .seconds(1))
        await recovery.failOnce(then: .seconds(2))
        await transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.response.substitution?.used == sources[1])
        let expected = [recovery.url, urls[0], urls[1]].flatMap { [$0, $0, $0] }
        #expect(transport.transfers.map(\.request.url) == expected)
    }

    @Test("serve loads of the bytes alone as well")
    func data() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        transport.serve(urls[0], Sample.png())
        let options: [ImageOption] = [.alternativeSources(sources)]
        #expect(
            try await firstDifference(recovery.pipeline.data(for: recovery.url, options: options), Sample.png())
                == nil
        )
    }

    @Test("are cached under their own names")
    func cached() async throws {
        transport.serve(recovery.url, Data(), status: 404)
        transport.serve(urls[0], Sample.png())
        _ = try await task([sources[0]]).response
        #expect(recovery.pipeline.responseFromMemory(for: urls[0]) != nil)
        #expect(recovery.pipeline.responseFromMemory(for: recovery.url) == nil)
        #expect(try await task([sources[0]]).response.source == .memory)
    }
}

/// A provider that fails on a signal, cancelled or not, with an error of its own.
private struct StubbornProvider: ImageDataProvider {
    struct Failure: Error {}

    let hasStarted = Gate()
    let mayFail = Gate()
    let cacheKey = "stubborn"

    func data() async throws -> Data {
        hasStarted.open()
        await mayFail.wait()
        throw Failure()
    }
}
