import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A provider that loads other images")
struct ProviderCycleTests {
    private let test = TestPipeline()

    /// Loads a request, and returns the error; `nil` if it succeeds.
    private func failure(_ request: ImageRequest, in pipeline: ImagePipeline? = nil) async -> ImageError? {
        let task = (pipeline ?? test.pipeline).task(for: request)
        await eventually { task.state.hasEnded }
        return if case .failed(let error) = task.state { error as? ImageError } else { nil }
    }

    /// Returns a request whose provider loads that of the next name, if there is one.
    private func request(_ name: String, _ links: [String: String]) -> ImageRequest {
        let provider = LinkedProvider(cacheKey: name, links: links) { [pipeline = test.pipeline] provider in
            try await pipeline.data(for: ImageRequest(.provider(provider)))
        }
        return ImageRequest(.provider(provider))
    }

    @Test("fails where it needs its own bytes, at once or by way of others", arguments: [1, 2, 5])
    func cycle(count: Int) async {
        let names = (0..<count).map { "\($0)" }
        let links = Dictionary(uniqueKeysWithValues: zip(names, names.dropFirst() + ["0"]))
        let error = await failure(request("0", links))
        #expect(error?.reason == .providerCycle(names + ["0"]))
        #expect(error?.code == "providerCycle" && error?.stage == .load && error?.source == "0")
        await test.settle()
        #expect(test.pipeline.stages.original.work.count == 0)
    }

    @Test("fails where it enters a cycle of others")
    func entry() async {
        let error = await failure(request("first", ["first": "a", "a": "b", "b": "a"]))
        #expect(error?.reason == .providerCycle(["a", "b", "a"]) && error?.source == "first")
    }

    @Test("fails where both of a cycle are loaded at the same time")
    func mutual() async {
        let (gate, begun) = (Gate(), CallCounter())
        let tasks = ["a", "b"].map { name in
            let provider = LinkedProvider(cacheKey: name, links: ["a": "b", "b": "a"]) {
                [pipeline = test.pipeline] provider in
                begun.add()
                await gate.wait()
                return try await pipeline.data(for: ImageRequest(.provider(provider)))
            }
            return test.pipeline.task(for: ImageRequest(.provider(provider)))
        }
        await eventually { begun.value == 2 }
        // Each is being loaded, and goes on with the other one.
        gate.open()
        for (task, reason) in zip(tasks, [["a", "b", "a"], ["b", "a", "b"]]) {
            await eventually { task.state.hasEnded }
            let error = try? await task.failure()
            #expect(error?.reason == .providerCycle(reason))
        }
    }

    @Test("may load an image that another load is at as well")
    func shared() async throws {
        let links = ["album": "page"]
        let tasks = ["page", "album", "album"].map { test.pipeline.task(for: request($0, links)) }
        for task in tasks { _ = try await task.response }
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 2)
    }

    @Test("may load the earlier image of its own from a cache", arguments: [ImageResponse.Source.memory, .disk])
    func cached(place: ImageResponse.Source) async throws {
        let (pipeline, log) = (test.pipeline, CallLog())
        _ = try await pipeline.response(for: request("own", [:]))
        await test.settle()
        if place == .disk { pipeline.cache.removeAllFromMemory() }
        let provider = LinkedProvider(cacheKey: "own", links: ["own": "own"]) { provider in
            log.add("\(try await pipeline.response(for: ImageRequest(.provider(provider))).source)")
            return Sample.png()
        }
        let renewed = try await pipeline.response(for: ImageRequest(.provider(provider), options: [.forceRefresh]))
        #expect(renewed.source == .data && log.texts == ["\(place)"])
    }

    @Test("of a loader fails where it loads what was prepared for it before, and not what another one loads")
    func loaders() async throws {
        let (pipeline, prepared, url) = (Lock<ImagePipeline?>(nil), Lock<ImageRequest?>(nil), Sample.url())
        let first = SourceLoader { source, _ in
            guard source.url == url else { return nil }
            let pipeline = pipeline.withLock { $0 }
            return ClosureImageDataProvider(cacheKey: "loaded") {
                let request = prepared.withLock { $0 } ?? ImageRequest(url)
                return Data(try await pipeline?.data(for: request).reversed() ?? [])
            }
        }
        // Of the same name and type.
        let second = SourceLoader { _, _ in
            ClosureImageDataProvider(cacheKey: "loaded") { Data(Sample.png().reversed()) }
        }
        let test = TestPipeline(loaders: [first, second])
        pipeline.withLock { $0 = test.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        #expect(try await test.pipeline.data(for: ImageRequest(url)) == Sample.png())
        prepared.withLock { $0 = test.pipeline.prepared(ImageRequest(url)) }
        #expect(await failure(ImageRequest(url), in: test.pipeline)?.reason == .providerCycle(["loaded", "loaded"]))
    }

    @Test("fails as a source in place of another that its own load begins")
    func alternatives() async throws {
        let (pipeline, url) = (test.pipeline, Sample.url())
        test.transport.serve(url, Data(), status: 404)
        let source = Lock<Source?>(nil)
        let provider = Source.closure(cacheKey: "a") {
            let other = source.withLock { $0 }
            let request = ImageRequest(url, options: [.alternativeSources(other.map { [$0] } ?? [])])
            _ = try await pipeline.task(for: request).response
            return Sample.png()
        }
        source.withLock { $0 = provider }
        defer { source.withLock { $0 = nil } }
        let error = await failure(ImageRequest(provider))
        guard case .provider(let text) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("waits for itself"))
    }
}

/// Loads the provider that its name is linked with.
private struct LinkedProvider: ImageDataProvider {
    let cacheKey: String
    let links: [String: String]
    let load: @Sendable (LinkedProvider) async throws -> Data

    func data() async throws -> Data {
        guard let next = links[cacheKey] else { return Sample.png() }
        return try await load(LinkedProvider(cacheKey: next, links: links, load: load))
    }
}
