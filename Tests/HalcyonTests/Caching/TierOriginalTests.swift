import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonStore

@Suite("An original in the tiers of a cache")
struct TierOriginalTests {
    private let url = Sample.url()
    private let tier = ScriptedTier()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))

    private var key: CacheKey { CacheKey(name: url.absoluteString) }

    private func entry(seed: Int) -> TierEntry {
        let body = Sample.png(seed: seed)
        return TierEntry(body: body, digest: ContentDigest(of: body).value)
    }

    private func owner(_ test: TestPipeline, _ options: [ImageOption] = []) async throws -> Int {
        try await test.pipeline.response(for: url, options: options).image.owner
    }

    private func prefetch(_ request: ImageRequest, _ test: TestPipeline) async -> PrefetchResult {
        await ImagePrefetcher(requests: [request], pipeline: test.pipeline, destination: .disk).run()
    }

    // MARK: Prefetching

    @Test("below the disk is copied by a prefetch to the disk, which asks no server")
    func prefetchFromBelow() async throws {
        let test = TestPipeline(tiers: [tier])
        tier.put(entry(seed: 1), for: key)
        #expect(await prefetch(ImageRequest(url), test).failed.isEmpty)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == .disk)
        #expect(test.transport.startedCount == 0)
        #expect(tier.calls.allSatisfy { $0.function == .entry })
        tier.unavailable = [.entry]
        #expect(try await owner(test, [.onlyFromCache]) == 1)
    }

    @Test("below the disk that is no image is replaced by a prefetch to the disk, and no failure of its server")
    func prefetchOfDamaged() async throws {
        let failures = FailureMemory()
        let test = TestPipeline(tiers: [tier], recovery: RecoveryConfiguration(failureMemory: failures))
        let nonsense = Data("no image".utf8)
        tier.put(TierEntry(body: nonsense, digest: ContentDigest(of: nonsense).value), for: key)
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(await prefetch(ImageRequest(url), test).completed.count == 1)
        #expect(failures.count == 0 && test.transport.startedCount == 1)
        await test.pipeline.cache.flush()
        #expect(tier.present(key)?.body == Sample.png(seed: 2))
    }

    @Test("that came with the program is not copied by a prefetch to the disk")
    func prefetchOfBundled() async throws {
        let bundle = ScriptedTier(isReadOnly: true)
        bundle.put(entry(seed: 1), for: key)
        let test = TestPipeline(tiers: [bundle])
        #expect(await prefetch(ImageRequest(url), test).skipped.count == 1)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("on disk is no reason to skip a prefetch once its removal has begun")
    func prefetchDuringRemoval() async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let gate = DispatchGate()
        let source = Source.closure(cacheKey: url.absoluteString) {
            gate.open()
            return Sample.png(seed: 2)
        }
        let request = ImageRequest(source)
        #expect(try await cache.store(Sample.png(seed: 1), for: request))
        cache.disk.writing.schedule(priority: .high) { gate.wait() }
        let removal = Task { try await cache.remove(for: request) }
        await eventually { cache.order.isChanging }
        #expect(await cache.tiers(with: request) == [])
        let result = await prefetch(request, test)
        gate.open()
        #expect(result.completed.count == 1)
        #expect(try await removal.value == 1)
        #expect(await cache.storedData(for: request) == Sample.png(seed: 2))
    }

    // MARK: Loading

    @Test("below the disk is copied by a load of its image, which asks for it there once")
    func loadFromBelow() async throws {
        let test = TestPipeline(tiers: [tier])
        tier.put(entry(seed: 1), for: key)
        #expect(try await owner(test, [.waitForCache]) == 1)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == .all)
        #expect(tier.calls.map(\.function) == [.entry])
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owner(test, [.onlyFromCache]) == 1)
        #expect(tier.calls.map(\.function) == [.entry] && test.transport.startedCount == 0)
    }

    @Test("below the disk is copied by the load of a result that keeps its original alone", arguments: [true, false])
    func resultFromBelow(keepsOriginal: Bool) async throws {
        let test = TestPipeline(tiers: [tier])
        tier.put(entry(seed: 1), for: key)
        let options = keepsOriginal ? [crop, .cacheOriginalImage] : [crop]
        #expect(try await owner(test, options + [.waitForCache]) == 1)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == (keepsOriginal ? .disk : []))
        #expect(tier.present(key)?.body == Sample.png(seed: 1) && test.transport.startedCount == 0)
    }

    @Test("below the disk is not copied by a load that began before it was removed")
    func removedFromBelow() async throws {
        let test = TestPipeline(tiers: [tier])
        let (cache, request) = (test.pipeline.cache, ImageRequest(url))
        tier.put(entry(seed: 1), for: key)
        let gate = DispatchGate()
        cache.disk.writing.schedule(priority: .high) { gate.wait() }
        #expect(try await owner(test) == 1)
        let removal = Task { try await cache.remove(for: request) }
        await eventually { cache.order.isChanging }
        gate.open()
        #expect(try await removal.value == 0)
        await cache.flush()
        #expect(await cache.tiers(with: request) == [] && tier.keys.isEmpty)
    }

    // MARK: Damage

    @Test("that came with the program and is no image is looked for in the tiers below", arguments: [true, false])
    func damagedBundled(followsServer: Bool) async throws {
        let bundle = ScriptedTier(isReadOnly: true)
        let nonsense = Data("no image".utf8)
        bundle.put(TierEntry(body: nonsense, digest: ContentDigest(of: nonsense).value), for: key)
        tier.put(entry(seed: 1), for: key)
        let test = TestPipeline(tiers: [bundle, tier])
        let source = followsServer ? Source.url(url) : .closure(cacheKey: url.absoluteString) { nonsense }
        #expect(try await test.pipeline.response(for: ImageRequest(source)).image.owner == 1)
        #expect(bundle.calls.count { $0.function == .entry } == 1 && test.transport.startedCount == 0)
    }

    // MARK: Replacement

    @Test("that came with the program is not used once its server has sent another, although no tier has that one")
    func outdatedBundled() async throws {
        let bundle = ScriptedTier(isReadOnly: true)
        bundle.put(entry(seed: 1), for: key)
        let test = TestPipeline(tiers: [bundle])
        let order = test.pipeline.cache.order
        #expect(try await owner(test, [.onlyFromCache]) == 1)
        for seed in [2, 1] {
            test.transport.serve(url, Sample.png(seed: seed))
            #expect(try await owner(test, [crop, .forceRefresh]) == seed)
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            // The order of content does not know the answer any more.
            await eventually { order.recordCount == 0 }
            if seed == 1 {
                #expect(try await owner(test, [.onlyFromCache]) == 1)
            } else {
                await #expect(throws: ImageError.self) { try await owner(test, [.onlyFromCache]) }
            }
        }
    }

    @Test("that came with the program counts as outdated if nothing is known of it because of many others")
    func manyAnswers() throws {
        let entry = entry(seed: 1)
        let bundle = ScriptedTier(isReadOnly: true)
        let names = (0..<NewestAnswers.limit).map(String.init) + ["other", "too many"]
        for name in names { bundle.put(entry, for: CacheKey(name: name)) }
        let answers = NewestAnswers(of: [bundle])
        let key = try #require(ImageKey(ImageRequest(url)))
        func claim(_ transfer: UInt64, _ digest: UInt64) -> ContentClaim {
            let registrations = ContentRegistrations(for: key, with: [])
            return ContentClaim(registrations: registrations, transfer: transfer, digest: ContentDigest(digest))
        }
        // Those of which no original came with the program count for nothing.
        for number in 0...NewestAnswers.limit { answers.note(claim(2, 7), named: "https://a.example/\(number)") }
        for number in 0..<NewestAnswers.limit { answers.note(claim(2, 7), named: "\(number)") }
        #expect(answers.isNewest(ContentDigest(1), named: "other"))
        answers.note(claim(3, 8), named: "0")
        answers.note(claim(1, 9), named: "1")
        #expect(answers.isNewest(ContentDigest(8), named: "0") && answers.isNewest(ContentDigest(7), named: "1"))
        answers.note(claim(4, 1), named: "too many")
        #expect(!answers.isNewest(ContentDigest(1), named: "other"))
        #expect(answers.isNewest(ContentDigest(7), named: "2"))
    }

    @Test("below the disk is brought up to date there by a load that stores only its result")
    func updatedBelow() async throws {
        let test = TestPipeline(tiers: [tier])
        tier.put(entry(seed: 1), for: key)
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(try await owner(test, [crop, .revalidate]) == 2)
        await test.settle()
        #expect(tier.present(key)?.body == Sample.png(seed: 2))
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == [])
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owner(test, [.onlyFromCache]) == 2)
    }

    @Test("below the disk stays when another representation is replaced", arguments: [true, false])
    func representations(areOnDisk: Bool) async throws {
        let test = TestPipeline(tiers: [tier])
        func load(_ language: String, _ options: [ImageOption] = []) async throws {
            let source = Source.request(TransferRequest(url: url, headers: [.acceptLanguage: language]))
            _ = try await test.pipeline.response(for: ImageRequest(source, options: options))
            await test.settle()
        }
        func serve(_ seed: Int) {
            let headers: HTTPFields = [.cacheControl: "max-age=3600", .vary: "Accept-Language"]
            test.transport.setRoute(url, .init(headers: headers, body: Sample.png(seed: seed)))
        }
        serve(1)
        try await load("en")
        serve(2)
        try await load("de")
        try await load("en", [crop])
        #expect(tier.keys.count == 3)
        if !areOnDisk { try await test.pipeline.cache.disk.change { try $0.removeAll() } }
        serve(3)
        try await load("en", [.forceRefresh])
        // What was made of the one that was replaced goes.
        let bodies = tier.keys.map { tier.present($0)?.body }
        #expect(Set(bodies) == [Sample.png(seed: 2), Sample.png(seed: 3)])
    }
}
