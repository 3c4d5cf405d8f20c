import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The verbs of a group of caches")
struct CacheGroupRemovalTests {
    /// A way to remove an image from a group.
    enum Removal: CaseIterable {
        case all, request, prefix

        func perform(_ group: ImageCacheGroup, _ url: URL) async throws {
            switch self {
            case .all: try await group.removeAll()
            case .request: try await group.remove(for: ImageRequest(url))
            case .prefix: try await group.removeAll(originalsBeginningWith: url.absoluteString)
            }
        }
    }

    private let crop = ImageOption.processor(.crop(to: PixelSize(9, 9)))

    private func fill(_ fixture: CacheGroupFixture) async throws {
        for cache in [fixture.low, fixture.high] {
            for options in [[], [crop]] { try await fixture.load(options + [.targetCache(cache)]) }
        }
        #expect(try await fixture.counts() == [2, 2, 2, 2])
    }

    @Test("remove and clear take images from the caches that their policy names", arguments: Removal.allCases)
    func policies(removal: Removal) async throws {
        let expected: [(ImageCacheGroup.Policy, [Int])] = [
            (.all, [0, 0, 0, 0]), (.highest, [0, 0, 2, 2]), (.lowest, [2, 2, 0, 0]),
        ]
        for (policy, counts) in expected {
            let fixture = CacheGroupFixture(
                removing: removal == .all ? .all : policy,
                clearing: removal == .all ? policy : .all
            )
            try await fill(fixture)
            try await removal.perform(fixture.group, fixture.url)
            #expect(try await fixture.counts() == counts)
        }
    }

    @Test(
        "remove and clear take images from memory and disk in a task that was cancelled, too",
        arguments: Removal.allCases
    )
    func cancelledRemoval(removal: Removal) async throws {
        let fixture = CacheGroupFixture()
        try await fill(fixture)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await removal.perform(fixture.group, fixture.url)
        }
        try await task.value
        #expect(try await fixture.counts() == [0, 0, 0, 0])
    }

    @Test("store puts bytes in the place of older ones in a task that was cancelled, too")
    func storeInCancelledTask() async throws {
        let fixture = CacheGroupFixture()
        try await fixture.load()
        let request = ImageRequest(fixture.url)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.high.store(Sample.png(seed: 5), for: request)
        }
        #expect(try await task.value)
        #expect(await fixture.high.storedData(for: request) == Sample.png(seed: 5))
        #expect(!fixture.high.isInMemory(request))
    }

    @Test("store leaves nothing older elsewhere if it is cancelled once one cache has what is stored")
    func cancelledStore() async throws {
        let fixture = CacheGroupFixture()
        try await fixture.load([.targetCache(fixture.low)])
        let busy = HeldCall()
        busy.arm()
        async let other: Void = fixture.low.disk.write(priority: .normal) { busy.pass() }
        await busy.waitUntilReached()
        let request = ImageRequest(fixture.url)
        let store = Task { try await fixture.group.store(Sample.png(seed: 5), for: request) }
        while await fixture.high.storedData(for: request) == nil { await Task.yield() }
        store.cancel()
        busy.release()
        await other
        #expect(try await store.value)
        #expect(await fixture.low.storedData(for: request) == nil)
    }

    @Test("remove takes images from one part alone, and clear as well")
    func tiers() async throws {
        let fixture = CacheGroupFixture()
        try await fill(fixture)
        fixture.group.removeAllFromMemory()
        #expect(try await fixture.counts() == [0, 2, 0, 2])
        try await fixture.group.removeAllFromDisk()
        #expect(try await fixture.counts() == [0, 0, 0, 0])
        try await fill(fixture)
        #expect(try await fixture.group.remove(for: ImageRequest(fixture.url), from: .memory) == 0)
        #expect(try await fixture.counts() == [0, 2, 0, 2])
        #expect(try await fixture.group.remove(for: ImageRequest(fixture.url), from: .disk) == 4)
        #expect(try await fixture.counts() == [0, 0, 0, 0])
    }

    @Test("a removal is final: a look-up under way stores what it found in no cache", arguments: Removal.allCases)
    func finalRemoval(removal: Removal) async throws {
        for options in [[], [crop]] {
            let fixture = CacheGroupFixture(promotes: true)
            try await fixture.load(options + [.targetCache(fixture.low)])
            fixture.group.removeAllFromMemory()
            fixture.held.arm()
            let task = fixture.pipeline.task(for: fixture.url, options: ImageOptions(options))
            await fixture.held.waitUntilReached()
            try await removal.perform(fixture.group, fixture.url)
            fixture.held.release()
            #expect(try await task.response.source == .disk)
            #expect(try await fixture.counts() == [0, 0, 0, 0])
        }
    }

    @Test("a removal is final: a transfer under way is stored in no cache", arguments: Removal.allCases)
    func finalTransfer(removal: Removal) async throws {
        let fixture = CacheGroupFixture(storing: .all)
        fixture.transport.setRoute(fixture.url, nil)
        let task = fixture.pipeline.task(for: fixture.url)
        let transfer = await fixture.transport.nextTransfer()
        try await removal.perform(fixture.group, fixture.url)
        transfer.answer(.init(body: Sample.png()))
        #expect(try await task.response.source == .network)
        #expect(try await fixture.counts() == [0, 0, 0, 0])
    }

    @Test("nothing is found on disk while a removal is being made")
    func betweenRemovals() async throws {
        let fixture = CacheGroupFixture(promotes: true)
        try await fixture.load([.targetCache(fixture.low)])
        let key = try #require(ImageKey(ImageRequest(fixture.url)))
        let removals = ContentOrder.begin(.name(key.originalDiskKey), from: .all, in: fixture.group.caches)
        // It has been made in the highest cache, and not yet in the lowest.
        #expect(fixture.pipeline.responseFromMemory(for: fixture.url) != nil)
        fixture.low.removeAllFromMemory()
        fixture.serve(Sample.png(seed: 2))
        let response = try await fixture.load()
        #expect(response.source == .network)
        #expect(response.image.owner == 2)
        ContentOrder.end(removals)
        #expect(await fixture.high.storedData(for: ImageRequest(fixture.url)) == Sample.png(seed: 2))
    }

    @Test("contains and tiers ask the caches that their policy names")
    func containing() async throws {
        let expected: [(ImageCacheGroup.Policy, ImageCache.Tiers)] = [(.all, .all), (.highest, []), (.lowest, .all)]
        for (policy, tiers) in expected {
            let fixture = CacheGroupFixture(containing: policy)
            try await fixture.load([.targetCache(fixture.low)])
            let request = ImageRequest(fixture.url)
            #expect(await fixture.group.tiers(with: request) == tiers)
            #expect(await fixture.group.contains(request) == !tiers.isEmpty)
            #expect(fixture.group.isInMemory(request) == !tiers.isEmpty)
        }
    }

    @Test("store puts bytes where its policy says, in place of what any cache has")
    func storeData() async throws {
        let fixture = CacheGroupFixture(storing: .lowest)
        try await fill(fixture)
        #expect(try await fixture.group.store(Sample.png(seed: 5), for: ImageRequest(fixture.url)))
        #expect(try await fixture.counts() == [0, 0, 0, 1])
        #expect(await fixture.group.storedData(for: ImageRequest(fixture.url)) == Sample.png(seed: 5))
    }

    @Test("store of the bytes of a thumbnail leaves the whole image of the same cache key")
    func storeThumbnail() async throws {
        let fixture = CacheGroupFixture()
        let name = fixture.url.absoluteString
        try await fixture.load([.targetCache(fixture.low)])
        var thumbnail = Source.thumbnail(ofFile: "/nothing.png")
        thumbnail.cacheKey = name
        #expect(try await !fixture.group.store(Sample.png(seed: 5), for: ImageRequest(thumbnail)))
        #expect(try await fixture.counts() == [0, 0, 1, 1])
    }

    @Test("store puts an image where its policy says, in place of the one that any cache has")
    func storeImage() async throws {
        let fixture = CacheGroupFixture(storing: .highest)
        try await fill(fixture)
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9, seed: 5))
        let request = ImageRequest(fixture.url, options: [crop])
        #expect(try await fixture.group.store(image, for: request))
        // The original and its own image stay.
        #expect(try await fixture.counts() == [2, 2, 1, 1])
        #expect(fixture.group.entryInMemory(for: request)?.image.bitmap.hasSamePixels(as: image.bitmap) == true)
        let whole = try ImageCodecs.standard.decode(Sample.png(seed: 6))
        #expect(
            try await fixture.group.store(whole, original: Sample.png(seed: 6), for: ImageRequest(fixture.url))
        )
        #expect(try await fixture.counts() == [2, 2, 0, 0])
    }
}
