import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A group of caches")
struct CacheGroupTests {
    private let crop = ImageOption.processor(.crop(to: PixelSize(9, 9)))

    @Test(
        "stores what a load brings where its policy says, from the network and from a provider",
        arguments: [
            (ImageCacheGroup.Policy.all, [2, 2, 2, 2]), (.highest, [2, 2, 0, 0]), (.lowest, [0, 0, 2, 2]),
        ]
    )
    func storing(policy: ImageCacheGroup.Policy, expected: [Int]) async throws {
        let fixture = CacheGroupFixture(storing: policy)
        try await fixture.load()
        try await fixture.load([crop])
        #expect(try await fixture.counts() == expected)
        let provided = CacheGroupFixture(storing: policy)
        let source = Source.closure(cacheKey: "provided") { Sample.png() }
        for options in [[], [crop]] {
            _ = try await provided.pipeline.response(for: ImageRequest(source, options: ImageOptions(options)))
        }
        #expect(try await provided.counts() == expected)
    }

    @Test(
        "is searched in order, or in one cache alone",
        arguments: [
            (ImageCacheGroup.Policy.all, [true, true]), (.highest, [true, false]), (.lowest, [false, true]),
        ]
    )
    func lookup(policy: ImageCacheGroup.Policy, found: [Bool]) async throws {
        for (index, isFound) in found.enumerated() {
            for isInMemory in [true, false] {
                for options in [[], [crop]] {
                    let fixture = CacheGroupFixture(lookup: policy)
                    let cache = [fixture.high, fixture.low][index]
                    try await fixture.load(options + [.targetCache(cache)])
                    if !isInMemory { cache.removeAllFromMemory() }
                    let before = fixture.transport.startedCount
                    let response = try await fixture.load(options)
                    let source: ImageResponse.Source = isInMemory ? .memory : .disk
                    #expect(response.source == (isFound ? source : .network))
                    #expect(fixture.transport.startedCount == before + (isFound ? 0 : 1))
                }
            }
        }
    }

    @Test("answers from the memory of each cache before it reads a disk, without waiting")
    func memoryFirst() async throws {
        let fixture = CacheGroupFixture()
        try await fixture.load([.targetCache(fixture.low)])
        #expect(fixture.pipeline.responseFromMemory(for: fixture.url)?.source == .memory)
        #expect(fixture.pipeline.task(for: fixture.url).finishedResponse != nil)
        #expect(fixture.group.isInMemory(ImageRequest(fixture.url)))
        #expect(fixture.group.entryInMemory(for: ImageRequest(fixture.url))?.tier == .memory)
        fixture.low.removeAllFromMemory()
        #expect(fixture.pipeline.responseFromMemory(for: fixture.url) == nil)
        #expect(try await fixture.group.entry(for: ImageRequest(fixture.url))?.tier == .disk)
        // An image from disk is in the memory of its cache then.
        #expect(try await fixture.counts() == [0, 0, 1, 1])
    }

    @Test("keeps what is found in a lower cache there, unless it promotes", arguments: [false, true])
    func promotion(promotes: Bool) async throws {
        for options in [[], [crop]] {
            let fixture = CacheGroupFixture(promotes: promotes)
            try await fixture.load(options + [.targetCache(fixture.low)])
            #expect(try await fixture.load(options).source == .memory)
            #expect(try await fixture.counts() == [promotes ? 1 : 0, 0, 1, 1])
            fixture.group.removeAllFromMemory()
            #expect(try await fixture.load(options).source == .disk)
            #expect(try await fixture.counts() == (promotes ? [1, 1, 1, 1] : [0, 0, 1, 1]))
            try await fixture.low.removeAll()
            fixture.group.removeAllFromMemory()
            #expect(try await fixture.load(options).source == (promotes ? .disk : .network))
        }
    }

    @Test("promotes the encoded form of an image, and an original that another image is made of")
    func promotedForms() async throws {
        let fixture = CacheGroupFixture(promotes: true)
        let low: [ImageOption] = [crop, .targetCache(fixture.low)]
        let format = EncodedImageFormat.format(.png)
        let first = try await fixture.pipeline.encoded(for: fixture.url, as: format, options: ImageOptions(low))
        fixture.group.removeAllFromMemory()
        await fixture.settle()
        let found = try await fixture.pipeline.encoded(for: fixture.url, as: format, options: [crop])
        #expect(found.source == .disk && found.data == first.data)
        #expect(try await fixture.counts() == [1, 1, 1, 1])
        #expect(try await fixture.low.store(Sample.png(), for: ImageRequest(fixture.url)))
        try await fixture.high.removeAll()
        #expect(try await fixture.load([crop]).source == .disk)
        #expect(try await fixture.high.storedImages().map(\.isProcessed).contains(false))
    }

    @Test("gives a promoted image no longer life than its server did")
    func promotedFreshness() async throws {
        let fixture = CacheGroupFixture(promotes: true)
        try await fixture.load([.targetCache(fixture.low), .memoryCacheExpiration(.never)])
        try await fixture.load([crop, .targetCache(fixture.low), .memoryCacheExpiration(.never)])
        fixture.clock.advance(by: 6 * 86_400)
        let kept: [ImageOption] = [.memoryCacheExpiration(.never)]
        #expect(try await fixture.load(kept).source == .memory)
        #expect(try await fixture.load(kept + [crop]).source == .memory)
        fixture.clock.advance(by: 2 * 86_400)
        #expect(fixture.pipeline.responseFromMemory(for: fixture.url) == nil)
        #expect(fixture.pipeline.responseFromMemory(for: fixture.url, options: [crop]) == nil)
    }

    @Test(
        "keeps a copy on a higher disk for as long as what it copies, whichever way it is found",
        arguments: [false, true],
        [ExpirationExtension.originalLifetime, .none, .to(.never)]
    )
    func promotedExpiration(isProcessed: Bool, access: ExpirationExtension) async throws {
        // Without a validity that a server limits.
        let source = Source.closure(cacheKey: "provided") { Sample.png() }
        let options: [ImageOption] = isProcessed ? [crop] : []
        let finding: [ImageOption] = options + [.diskCacheAccessExtending(access)]
        for usesPipeline in [true, false] {
            for lifetime in [Expiration.days(30), .seconds(100_000), .never] {
                let fixture = CacheGroupFixture(promotes: true)
                let storing = options + [.targetCache(fixture.low), .diskCacheExpiration(lifetime)]
                _ = try await fixture.pipeline.response(for: ImageRequest(source, options: ImageOptions(storing)))
                await fixture.settle()
                fixture.group.removeAllFromMemory()
                fixture.clock.advance(by: 90_000)
                let request = ImageRequest(source, options: ImageOptions(finding))
                if usesPipeline {
                    #expect(try await fixture.pipeline.response(for: request).source == .disk)
                } else {
                    #expect(try await fixture.group.entry(for: request)?.tier == .disk)
                }
                await fixture.settle()
                let low = try #require(try await fixture.low.disk.perform { try $0.entries() }.first)
                let high = try #require(try await fixture.high.disk.perform { try $0.entries() }.first)
                #expect(high.key == low.key && high.expiresAt == low.expiresAt)
                // An access of the copy has the same effect as one of what it copies.
                fixture.clock.advance(by: 5_000)
                guard access == .originalLifetime else { continue }
                let dates = try [fixture.high.disk, fixture.low.disk].map { disk in
                    try #require(disk.cache.entry(for: high.key)).expiresAt
                }
                #expect(dates[0] == dates[1])
            }
        }
    }

    @Test("gives a copy on a higher disk no longer life than a request says")
    func promotedLimit() async throws {
        let fixture = CacheGroupFixture(promotes: true)
        try await fixture.load([.targetCache(fixture.low), .diskCacheExpiration(.never)])
        fixture.group.removeAllFromMemory()
        #expect(try await fixture.load([.diskCacheExpiration(.seconds(60))]).source == .disk)
        let copy = try #require(try await fixture.high.disk.perform { try $0.entries() }.first)
        #expect(copy.expiresAt == fixture.clock.date.addingTimeInterval(60))
    }

    @Test("asks a server with the validator of the cache that has the original, and keeps the answer there")
    func validators() async throws {
        let fixture = CacheGroupFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        try await fixture.load([.targetCache(fixture.low)])
        fixture.clock.advance(by: 100)
        fixture.serve(Data(), [.cacheControl: "max-age=600"], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.transport.transfers.last?.request.headers[.ifNoneMatch] == "\"a\"")
        fixture.clock.advance(by: 100)
        fixture.group.removeAllFromMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.transport.startedCount == 2)
        #expect(try await fixture.high.diskStatistics().count == 0)
    }

    @Test("leaves nothing older in other caches than what it stores", arguments: [false, true])
    func older(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [crop, .cacheOriginalImage] : []
        let fixture = CacheGroupFixture()
        try await fixture.load(options + [.targetCache(fixture.low)])
        fixture.serve(Sample.png(seed: 9))
        let newer = try await fixture.load(options + [.forceRefresh])
        try await fixture.high.removeAll()
        let again = try await fixture.load(options)
        #expect(again.image.bitmap.hasSamePixels(as: newer.image.bitmap))
    }

    @Test("removes an image that its server does not have any more from all caches, whatever its policies")
    func absence() async throws {
        let fixture = CacheGroupFixture(lookup: .highest, storing: .highest, removing: .highest, promotes: true)
        for cache in [fixture.low, fixture.high] {
            for options in [[], [crop]] { try await fixture.load(options + [.targetCache(cache)]) }
        }
        #expect(try await fixture.counts() == [2, 2, 2, 2])
        fixture.serve(Data("no".utf8), status: 404)
        await #expect(throws: ImageError.self) { try await fixture.load([.revalidate]) }
        #expect(try await fixture.counts() == [0, 0, 0, 0])
    }

    @Test("makes one transfer for equal loads, and shares nothing between groups that differ")
    func sharing() async throws {
        let fixture = CacheGroupFixture()
        fixture.transport.setRoute(fixture.url, nil)
        let other = ImageCacheGroup(fixture.high, [fixture.low], promotes: true)
        let options: [ImageOptions] = [[], [], [.targetCache(other)], [.targetCache(other)]]
        let tasks = options.map { fixture.pipeline.task(for: fixture.url, options: $0) }
        let transfer = await fixture.transport.nextTransfer()
        await eventually { fixture.pipeline.stages.image.work.waiterCount == 4 }
        #expect(fixture.pipeline.stages.image.work.count == 2)
        fixture.serve(Sample.png())
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.image.size == PixelSize(64, 48)) }
    }

    @Test("is equal to another with the same caches and policies, and has each cache once")
    func equality() {
        let fixture = CacheGroupFixture()
        let (high, low) = (fixture.high, fixture.low)
        #expect(ImageCacheGroup(high, [low, high, low]).caches == [high, low])
        #expect(ImageCacheGroup(high, [low]) == fixture.group && ImageCacheGroup(low, [high]) != fixture.group)
        #expect(ImageCacheGroup(high, [low], promotes: true) != fixture.group)
        // The policies of one cache all name that one.
        #expect(ImageCacheGroup(high, storing: .lowest, promotes: true) == ImageCacheGroup(high))
        var policy = CachePolicy()
        policy.targetCache = high
        #expect(policy.targetCaches == ImageCacheGroup(high) && policy.originalCache == nil)
        policy.targetCaches = fixture.group
        #expect(policy.targetCache == high)
        #expect(fixture.pipeline.caches == fixture.group && fixture.pipeline.cache == high)
        var configuration = fixture.pipeline.configuration
        configuration.cache = low
        #expect(configuration.caches == ImageCacheGroup(low))
    }

    @Test("takes the place of a cache of originals as well")
    func originals() async throws {
        let fixture = CacheGroupFixture()
        let target = fixture.other
        let group = ImageCacheGroup(fixture.high, [fixture.low], storing: .lowest, promotes: true)
        let options: [ImageOption] = [.targetCache(target), .originalCache(group)]
        try await fixture.load(options + [crop, .cacheOriginalImage])
        #expect(try await fixture.counts() == [0, 0, 0, 1])
        let other = ImageOption.processor(.crop(to: PixelSize(5, 5)))
        #expect(try await fixture.load(options + [other]).source == .disk)
        #expect(try await fixture.counts() == [0, 1, 0, 1])
        await target.flush()
        #expect(try await target.storedImages().map(\.isProcessed) == [true, true])
    }
}
