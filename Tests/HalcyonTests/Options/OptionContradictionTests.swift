import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Options that contradict each other")
struct OptionContradictionTests {
    private static let unnamed = ImageOption.hooks(TestHooks.body { data, _ in data })
    private static let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))

    /// Options with each contradiction.
    private static let contradictions: [(OptionContradiction, [ImageOption])] = [
        (.noCacheAndOnlyFromCache, [.noCache, .onlyFromCache]),
        (.noCacheAndOnlyFromCache, [.onlyFromCache, .noCache, crop]),
        (.unnamedHooksAndOnlyFromCache, [unnamed, .onlyFromCache]),
        (.unnamedResponseAndOnlyFromCache, [.method(.post), .onlyFromCache]),
        (.originalSerializerAndNoOriginal, [.serializer(.original), .readsOriginal(false), crop]),
    ]

    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png())
    }

    @Test("fail the load with one error that names both and the way out, and send nothing", arguments: contradictions)
    func errors(contradiction: OptionContradiction, options: [ImageOption]) async throws {
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.response(for: url, options: options)
        }
        #expect(error?.reason == .contradictoryOptions(contradiction))
        #expect(error?.stage == .source && error?.code == "contradictoryOptions")
        #expect(error?.description.hasSuffix(contradiction.description) == true)
        #expect(await reason { try await test.pipeline.data(for: url, options: options) } == error?.reason)
        let prefetcher = ImagePrefetcher(urls: [url], options: options, pipeline: test.pipeline, destination: .disk)
        if contradiction == .noCacheAndOnlyFromCache { #expect(await prefetcher.run().completed.isEmpty) }
        #expect(test.transport.startedCount == 0)
    }

    @Test("are all found, and each has a sentence of its own")
    func list() {
        #expect(Set(Self.contradictions.map(\.0)) == Set(OptionContradiction.allCases))
        #expect(Set(OptionContradiction.allCases.map(\.description)).count == OptionContradiction.allCases.count)
    }

    @Test("do not if something can answer: a file, named hooks, a cache key, a refresh that is stored")
    func harmless() async throws {
        let path = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Sample.png().write(to: URL(filePath: path))
        let file = ImageRequest(.file(path), options: [.noCache, .onlyFromCache])
        #expect(try await test.pipeline.response(for: file).source == .file)
        let named = ImageOption.hooks(TestHooks.body("same") { data, _ in data })
        for options: [ImageOption] in [[named, .onlyFromCache], [.revalidate, .onlyFromCache]] {
            #expect(await reason { try await test.pipeline.response(for: url, options: options) } == .notCached)
        }
        let posted = ImageRequest(.url(url, cacheKey: "posted"), options: [.method(.post), .onlyFromCache])
        #expect(await reason { try await test.pipeline.response(for: posted) } == .notCached)
        let refresh: [ImageOption] = [.forceRefresh, .onlyFromCache, .cacheMemoryOnly]
        #expect(try await test.pipeline.response(for: url, options: refresh).source == .network)
    }

    @Test("do not matter where memory has the image")
    func memoryHit() async throws {
        let shared: [ImageOption] = [Self.crop, .serializer(.original)]
        _ = try await test.pipeline.response(for: url, options: shared)
        let options = shared + [.readsOriginal(false)]
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
    }

    @Test("of one source leave the others to be loaded")
    func alternatives() async throws {
        let data = Source.data(Sample.png())
        let options: [ImageOption] = [.noCache, .onlyFromCache, .alternativeSources([data])]
        let response = try await test.pipeline.response(for: url, options: options)
        #expect(response.source == .data)
        #expect(
            response.substitution?.failures.map(\.error.reason) == [.contradictoryOptions(.noCacheAndOnlyFromCache)]
        )
    }
}
