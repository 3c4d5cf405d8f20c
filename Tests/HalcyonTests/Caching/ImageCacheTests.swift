import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The image cache")
struct ImageCacheTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop: [ImageOption] = [.processor(.crop(to: .pixels(9, 9)))]

    private var cache: ImageCache { test.pipeline.cache }

    private func other(tiers: [any CacheTier] = [], monitor: MemoryPressureMonitor? = nil) -> ImageCache {
        let path = test.folder + "/" + UUID().uuidString
        return ImageCache(disk: .init(folder: path), tiers: tiers, memoryPressure: monitor)
    }

    @Test("says where an image is, processed or not, and does not extend its life")
    func type() async throws {
        test.transport.serve(url, Sample.png())
        #expect(await cache.tiers(with: ImageRequest(url)) == [])
        _ = try await test.pipeline.response(for: url, options: crop)
        await test.settle()
        #expect(await cache.tiers(with: ImageRequest(url, options: crop)) == .all)
        #expect(cache.isInMemory(ImageRequest(url, options: crop)) && !cache.isInMemory(ImageRequest(url)))
        #expect(await cache.tiers(with: ImageRequest(url)) == [])
        cache.removeAllFromMemory()
        #expect(await cache.tiers(with: ImageRequest(url, options: crop)) == .disk)
        #expect(try await cache.removeExpired() == 0)
    }

    @Test("gives bytes stored for a URL that exists only later, in place of what was known")
    func seed() async throws {
        #expect(try await cache.store(Sample.png(seed: 1), for: ImageRequest(url)))
        let first = try await test.pipeline.response(for: url, options: crop)
        #expect(first.source == .disk)
        await test.settle()
        #expect(try await cache.store(Sample.png(seed: 2), for: ImageRequest(url)))
        let second = try await test.pipeline.response(for: url, options: crop)
        #expect(!second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.png(seed: 2))
        #expect(test.transport.startedCount(url) == 0)
    }

    @Test("stores bytes in the place of older ones in a task that was cancelled, too")
    func storeInCancelledTask() async throws {
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url)
        await test.settle()
        let (cache, request) = (test.pipeline.cache, ImageRequest(url))
        let store = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cache.store(Sample.png(seed: 2), for: request)
        }
        #expect(try await store.value)
        #expect(await cache.storedData(for: request) == Sample.png(seed: 2))
        #expect(!cache.isInMemory(request))
    }

    @Test("stores an image with its original bytes, or encoded where there are none")
    func storeImage() async throws {
        let image = try ImageCodecs.standard.decode(Sample.jpeg())
        #expect(try await cache.store(image, original: Sample.jpeg(), for: ImageRequest(url)))
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.jpeg())
        #expect(try await test.pipeline.response(for: url, options: []).source == .memory)
        let encoded: [ImageOption] = [.serializer(.format(.png, EncodeOptions()))]
        let bare = Sample.url()
        #expect(try await cache.store(image, for: ImageRequest(bare, options: encoded)))
        let data = try #require(await cache.storedData(for: ImageRequest(bare)))
        #expect(try ImageCodecs.standard.decode(data).bitmap.hasSamePixels(as: image.bitmap))
        #expect(data.starts(with: [0x89, 0x50]))
    }

    @Test("stores a processed image as a load would find it")
    func storeProcessed() async throws {
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9))
        #expect(try await cache.store(image, for: ImageRequest(url, options: crop)))
        cache.removeAllFromMemory()
        let response = try await test.pipeline.response(for: url, options: crop)
        #expect(response.source == .disk)
        #expect(response.image.bitmap.hasSamePixels(as: image.bitmap))
        #expect(await cache.storedData(for: ImageRequest(url)) == nil)
    }

    @Test("puts a processed image in the place of the one before, and leaves the original and its own image")
    func replaceProcessed() async throws {
        test.transport.serve(url, Sample.png())
        for options in [[], crop] {
            _ = try await test.pipeline.response(for: url, options: options)
            await test.settle()
        }
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9, seed: 5))
        let request = ImageRequest(url, options: crop)
        #expect(try await cache.store(image, for: request))
        for request in [request, ImageRequest(url)] { #expect(await cache.tiers(with: request) == .all) }
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.png())
        for tier in [ImageCache.Tiers.memory, .disk] {
            if tier == .disk { cache.removeAllFromMemory() }
            let entry = try #require(try await cache.entry(for: request))
            #expect(entry.tier == tier && entry.image.bitmap.hasSamePixels(as: image.bitmap))
        }
    }

    @Test("never puts one frame in the place of an animation on disk")
    func animation() async throws {
        var info = ImageInfo(format: .gif, size: PixelSize(64, 48))
        info.frameCount = 3
        let frame = DecodedImage(bitmap: Sample.bitmap(), info: info)
        try await cache.store(Data("all frames".utf8), for: ImageRequest(url))
        #expect(try await !cache.store(frame, for: ImageRequest(url)))
        #expect(await cache.storedData(for: ImageRequest(url)) == Data("all frames".utf8))
        #expect(cache.isInMemory(ImageRequest(url)))
    }

    @Test("stores an image in memory alone on request, and leaves nothing that was made of the one before")
    func storeInMemory() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.encoded(for: url, as: .format(.png), options: crop)
        _ = try await test.pipeline.response(for: url, options: crop)
        await test.settle()
        #expect(try await cache.diskStatistics().count == 2)
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9, seed: 7))
        let request = ImageRequest(url, options: crop + [.cacheMemoryOnly])
        #expect(try await !cache.store(image, for: request))
        #expect(try await cache.diskStatistics().count == 0)
        #expect(cache.memoryStatistics.count == 1)
        cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: crop).source == .network)
    }

    @Test("keeps processed image and original apart where two caches are given, and answers once")
    func twoCaches() async throws {
        test.transport.serve(url, Sample.png())
        let (target, original) = (other(), other())
        let options = crop + [.targetCache(target), .originalCache(original), .cacheOriginalImage, .waitForCache]
        _ = try await test.pipeline.response(for: url, options: options)
        #expect(try await target.storedImages().map(\.isProcessed) == [true])
        #expect(try await original.storedImages().map(\.isProcessed) == [false])
        #expect(try await cache.diskStatistics().count == 0)
        #expect(!cache.isInMemory(ImageRequest(url, options: crop)))
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
        let processing = options + [.processor(.crop(to: .pixels(5, 5)))]
        #expect(try await test.pipeline.response(for: url, options: processing).source == .disk)
        #expect(test.transport.startedCount(url) == 1)
        #expect(try await test.pipeline.response(for: url, options: crop).source == .network)
    }

    @Test("policies with different caches are different")
    func identity() {
        var (one, two) = (CachePolicy(), CachePolicy())
        one.targetCache = other()
        two.targetCache = other()
        #expect(one != two)
        two.targetCache = one.targetCache
        #expect(one == two && one.hashValue == two.hashValue)
    }

    @Test("finds what came with the program, in a folder of files and in a cache that is only read")
    func bundles() async throws {
        let folder = test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Sample.png(seed: 3).write(to: URL(fileURLWithPath: folder + "/logo one.png"))
        let filled = ImageCache(disk: .init(folder: folder + "/cache"), memoryPressure: nil)
        try await filled.store(Sample.png(seed: 4), for: ImageRequest(url))
        try await filled.disk.perform { try $0.close() }
        let cache = other(tiers: [BundledImages.files(in: folder), BundledImages.cache(folder: folder + "/cache")])
        let logo = try #require(URL(string: "https://example.com/x/logo%20one.png?v=2"))
        for url in [url, logo] {
            let options: [ImageOption] = [.targetCache(cache)]
            #expect(try await test.pipeline.response(for: url, options: options).source == .disk)
            #expect(test.transport.startedCount(url) == 0)
        }
        #expect(try await cache.diskStatistics().count == 0)
    }

    @Test("answers with what is stored before what came with the program, for a server and for a provider")
    func storedBeforeBundled() async throws {
        let folder = test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = try #require(BundledImages.lastPathComponent(of: url.absoluteString))
        try Sample.png(seed: 1).write(to: URL(fileURLWithPath: folder + "/" + name))
        let cache = other(tiers: [BundledImages.files(in: folder)])
        let provided = Source.closure(cacheKey: url.absoluteString) { Sample.png(seed: 3) }
        let options: [ImageOption] = [.targetCache(cache), .onlyFromCache]
        let requests = [.url(url), provided].map { ImageRequest($0, options: options) }
        #expect(try await cache.store(Sample.png(seed: 2), for: requests[0]))
        for owner in [2, 1] {
            for request in requests {
                cache.removeAllFromMemory()
                #expect(try await cache.entry(for: request)?.image.owner == owner)
                cache.removeAllFromMemory()
                #expect(try await test.pipeline.response(for: request).image.owner == owner)
                await test.settle()
            }
            try await cache.removeAll()
        }
    }

    @Test("takes no file from outside a bundle's folder", arguments: ["../secret", "..", ".hidden", "a/b", "", "a\0b"])
    func bundleEscape(name: String) async throws {
        let folder = test.folder + "/bundle/inner"
        try FileManager.default.createDirectory(atPath: folder + "/a", withIntermediateDirectories: true)
        for path in ["/../secret", "/.hidden", "/a/b", "/a"] where path != "/a" {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder + path))
        }
        let bundle = BundledImages.files(in: folder) { _ in name }
        let answer = await bundle.entry(for: CacheKey(name: "k"), extending: .none, TierCall())
        guard case .hit = answer else { return }
        Issue.record("\(answer)")
    }

    @Test("takes a bundle for one that may have an original where it cannot tell")
    func unreadableBundle() throws {
        let folder = test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder + "/v3", withIntermediateDirectories: true)
        try Data(repeating: 7, count: 4_096).write(to: URL(fileURLWithPath: folder + "/v3/index.sqlite"))
        #expect(BundledImages.cache(folder: folder).mayHave("k"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: "loop")
        let bundle = BundledImages.files(in: folder) { $0 }
        let names = ["loop", "none", String(repeating: "n", count: 300)]
        #expect(names.map(bundle.mayHave) == [true, false, false])
    }

    @Test("removes all of a server, in memory and on disk, and nothing else")
    func prefix() async throws {
        let addresses = [
            "https://a.example/1", "https://a.example/2", "https://a.example.org/1", "https://b.example/1",
        ]
        for address in addresses {
            let url = try #require(URL(string: address))
            test.transport.serve(url, Sample.png())
            _ = try await test.pipeline.response(for: url, options: crop)
            _ = try await test.pipeline.response(for: url, options: [])
        }
        await test.settle()
        for prefix in ["https://a.example/.", "https://a.example/b/..", "https://a.example/%2"] {
            #expect(try await cache.removeAll(originalsBeginningWith: prefix) == 0)
        }
        // In any spelling of the URL.
        #expect(try await cache.removeAll(originalsBeginningWith: "HTTPS://A.example:443/") == 4)
        let left = try await cache.storedImages().map(\.original)
        #expect(Set(left) == Set(addresses[2...]) && left.count == 4)
        #expect(cache.memoryStatistics.count == 4)
        #expect(try await cache.removeFromDisk { $0.isProcessed } == 2)
        #expect(try await cache.removeAll(originalsBeginningWith: "https://A.example") == 1)
        // Keys of the program's own have its spelling.
        let url = try #require(URL(string: "https://c.example/1"))
        let request = ImageRequest(.url(url, cacheKey: "https://CDN.example:443/ü/1"))
        _ = try await cache.store(Sample.png(), for: request)
        await test.settle()
        #expect(try await cache.removeAll(originalsBeginningWith: "https://CDN.example:443/ü/") == 1)
    }

    @Test("halves memory when it runs short, and empties it when that is critical")
    func pressure() throws {
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [], eventsFile: nil))
        let cache = other(monitor: monitor)
        var shown: [CachedImage] = []
        for number in 0..<8 {
            let image = try ImageCodecs.standard.decode(Sample.png(64, 64, seed: number))
            let cached = CachedImage(.image(image), byteCount: 0)
            if number == 0 { shown.append(cached) }
            let key = ImageKey(original: OriginalKey(text: "\(number)"), variant: nil)
            cache.memory.store(cached, for: key, cost: cached.cost(under: key))
        }
        let cost = cache.memoryStatistics.cost
        monitor.tell(.warning)
        #expect(cache.memoryStatistics.cost <= cost / 2 && cache.memoryStatistics.cost > 0)
        monitor.tell(.critical)
        #expect(cache.memoryStatistics.cost == 0)
        // An image that is still held is found again.
        #expect(cache.memory.entry(for: ImageKey(original: OriginalKey(text: "0"), variant: nil)) != nil)
        withExtendedLifetime(shown) {}
    }

    @Test("never finds an image again whose pixels were changed by their owner")
    func changedByItsUser() throws {
        let cache = other()
        let key = ImageKey(original: OriginalKey(text: "k"), variant: nil)
        var shown: Bitmap
        do {
            let image = try ImageCodecs.standard.decode(Sample.png(64, 64))
            shown = image.bitmap
            let cached = CachedImage(.image(image), byteCount: 0)
            cache.memory.store(cached, for: key, cost: cached.cost(under: key))
        }
        let before = shown.withUnsafeBytes { Array($0) }
        cache.memory.trim()
        // Nothing but this bitmap holds the pixels now, and the cache refers to them weakly.
        shown.withUnsafeMutableBytes { $0[0] ^= 0xFF }
        let found = cache.memory.entry(for: key)?.image?.bitmap.withUnsafeBytes { Array($0) }
        #expect(found == nil || found == before)
        #expect(shown.withUnsafeBytes { Array($0) } != before)
    }

    @Test("releases the memory kept for later images as well, where memory runs short")
    func pressureOnThePool() throws {
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [], eventsFile: nil))
        let cache = other(monitor: monitor)
        // Of a size that no other test uses, as the pool serves all of them.
        let size = PixelSize(1_811, 1_009)
        let byteCount = try Bitmap(size: size).byteCount
        // The other test of memory pressure may have emptied the pool in between.
        for _ in 0..<100 where !MemoryPool.shared.keeps(byteCount) { _ = try Bitmap(size: size) }
        #expect(MemoryPool.shared.keeps(byteCount))
        monitor.tell(.critical)
        #expect(!MemoryPool.shared.keeps(byteCount))
        withExtendedLifetime(cache) {}
    }
}
