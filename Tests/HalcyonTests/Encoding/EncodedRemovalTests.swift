import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A removal of encoded images")
struct EncodedRemovalTests {
    /// A way to remove an image.
    enum Removal: CaseIterable {
        case all, request, prefix

        func perform(_ cache: ImageCache, _ url: URL) async throws {
            switch self {
            case .all: try await cache.removeAll()
            case .request: try await cache.remove(for: ImageRequest(url))
            case .prefix: try await cache.removeAll(originalsBeginningWith: url.absoluteString)
            }
        }
    }

    private let encoded = EncodedTest()
    private let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))

    private func isEmpty() async throws -> Bool {
        await encoded.test.settle()
        let count = try await encoded.diskCount()
        return encoded.cache.memoryStatistics.count == 0 && count == 0
    }

    @Test("takes every encoded form of an original, from memory and from disk", arguments: Removal.allCases)
    func forms(removal: Removal) async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        for options in [[], [crop]] {
            _ = try await encoded.encoded(.format(.webp), options)
            _ = try await encoded.encoded(.format(.jpeg), options)
        }
        #expect(encoded.cache.memoryStatistics.count == 4)
        #expect(try await encoded.diskCount() == 4)
        try await removal.perform(encoded.cache, encoded.url)
        #expect(try await isEmpty())
    }

    @Test("leaves nothing of what is being encoded", arguments: Removal.allCases)
    func encoding(removal: Removal) async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        encoded.held.arm()
        let task = encoded.start()
        await encoded.held.waitUntilReached()
        try await removal.perform(encoded.cache, encoded.url)
        encoded.held.release()
        _ = try await task.value
        #expect(try await isEmpty())
    }

    @Test("leaves nothing of what is being stored", arguments: Removal.allCases)
    func storing(removal: Removal) async throws {
        encoded.transport.serve(encoded.url, Sample.encoded(Sample.noise(120, 100), .png))
        for quality in 1...20 {
            let format = EncodedImageFormat.format(.webp, EncodeOptions(quality: quality))
            _ = try await encoded.pipeline.encoded(for: encoded.url, as: format)
            try await removal.perform(encoded.cache, encoded.url)
            #expect(try await isEmpty())
        }
    }

    @Test("from memory leaves nothing there of an image that was found in memory before", arguments: [false, true])
    func fromMemory(isNamed: Bool) async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        _ = try await encoded.pipeline.response(for: encoded.url, options: [.cacheMemoryOnly])
        encoded.held.arm()
        let task = encoded.start()
        await encoded.held.waitUntilReached()
        if isNamed {
            try await encoded.cache.remove(for: ImageRequest(encoded.url), from: .memory)
        } else {
            encoded.cache.removeAllFromMemory()
        }
        encoded.held.release()
        _ = try await task.value
        await encoded.test.settle()
        #expect(encoded.cache.memoryStatistics.count == 0)
    }

    @Test("counts for an image that is found in memory while it is being removed from there")
    func duringRemoval() async throws {
        let cache = encoded.cache
        let key = try #require(ImageKey(ImageRequest(encoded.url)))
        func isAdmitted(_ removes: Bool) -> Bool {
            let registrations = ContentRegistrations(for: key, with: [cache])
            let claim = ContentClaim(registrations: registrations, isFromMemory: true)
            if removes { cache.removeAllFromMemory() }
            return cache.admission(of: claim, key)()
        }
        #expect(isAdmitted(false))
        #expect(!isAdmitted(true))
        #expect(isAdmitted(false))
    }

    @Test(
        "is made by a store of the program, which an encoding under way does not undo",
        arguments: [[], [CacheTier.disk]]
    )
    func replacement(tiers: [CacheTier]) async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        _ = try await encoded.encoded(.format(.png), [crop])
        encoded.held.arm()
        let task = encoded.start(.format(.bmp), [crop])
        await encoded.held.waitUntilReached()
        let request = ImageRequest(encoded.url, options: [crop])
        let image = try ImageCodecs.standard.decode(Sample.png(20, 10, seed: 7))
        #expect(try await encoded.cache.store(image, for: request))
        encoded.held.release()
        _ = try await task.value
        await encoded.test.settle()
        if tiers == [.disk] { encoded.forgetMemory() }
        for format in [ImageFormat.png, .bmp] {
            let data = try await encoded.encoded(.format(format), [crop]).data
            #expect(try ImageCodecs.standard.decode(data).owner == 7)
        }
        #expect(encoded.transport.startedCount <= 2)
    }

    @Test("is made by a store of the program, also with a serializer, which an unprocessed image has no use for")
    func replacementWithSerializer() async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        let serializer = ImageOption.serializer(.format(.png, EncodeOptions()))
        _ = try await encoded.encoded(.format(.png), [serializer])
        let original = Sample.png(seed: 7)
        let image = try ImageCodecs.standard.decode(original)
        let request = ImageRequest(encoded.url, options: [serializer])
        #expect(try await encoded.cache.store(image, original: original, for: request))
        #expect(encoded.cache.memoryStatistics.count == 1)
        #expect(try await encoded.diskCount() == 1)
        let data = try await encoded.encoded(.format(.png), [serializer]).data
        #expect(try ImageCodecs.standard.decode(data).owner == 7)
    }

    @Test(
        "is made by a store of the program, also if the disk gets no processed image",
        arguments: [
            ImageOption.serializer(.original), .serializer(TestSerializer("none") { _, _, _ in nil }),
        ]
    )
    func replacementWithoutResult(serializer: ImageOption) async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        _ = try await encoded.encoded(.format(.png), [crop, serializer])
        let request = ImageRequest(encoded.url, options: [crop, serializer])
        let image = try ImageCodecs.standard.decode(Sample.png(20, 10, seed: 7))
        _ = try await encoded.cache.store(image, original: Sample.png(seed: 7), for: request)
        let data = try await encoded.encoded(.format(.png), [crop, serializer]).data
        #expect(try ImageCodecs.standard.decode(data).owner == 7)
    }

    @Test("is made by a store of the program in memory alone, on disk as well", arguments: [false, true])
    func replacementInMemory(isProcessed: Bool) async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        let options = isProcessed ? [crop] : []
        _ = try await encoded.encoded(.format(.webp), options)
        let image = try ImageCodecs.standard.decode(isProcessed ? Sample.png(20, 10, seed: 7) : Sample.png(seed: 7))
        let request = ImageRequest(encoded.url, options: options + [.cacheMemoryOnly])
        #expect(try await encoded.cache.store(image, for: request) == false)
        #expect(encoded.pipeline.encodedFromMemory(for: request, as: .format(.webp)) == nil)
        #expect(try await encoded.diskCount() == 0)
    }

    @Test("is made by a store of the program on disk alone, which an encoding under way does not undo")
    func replacementOnDisk() async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        encoded.held.arm()
        let task = encoded.start(.format(.png))
        await encoded.held.waitUntilReached()
        let original = Sample.png(seed: 7)
        let image = try ImageCodecs.standard.decode(original)
        let diskOnly = ImageOption { $0.cache.storesInMemory = false }
        let request = ImageRequest(encoded.url, options: [diskOnly])
        #expect(try await encoded.cache.store(image, original: original, for: request))
        encoded.held.release()
        _ = try await task.value
        await encoded.test.settle()
        #expect(encoded.cache.memoryStatistics.count == 0)
        #expect(try await encoded.diskCount() == 1)
        let data = try await encoded.encoded(.format(.png)).data
        #expect(try ImageCodecs.standard.decode(data).owner == 7)
    }

    @Test("is made by a store of the program, for which a look-up waits")
    func replacementDuringLookUp() async throws {
        encoded.transport.serve(encoded.url, Sample.png(seed: 1))
        let held = encoded.held
        let serializer = TestSerializer("held") { image, _, context in
            held.pass()
            return try context.codecs.encode(image.bitmap, as: .png, options: EncodeOptions())
        }
        let options: [ImageOption] = [crop, .serializer(serializer)]
        _ = try await encoded.encoded(.format(.png), options)
        let request = ImageRequest(encoded.url, options: options)
        let image = try ImageCodecs.standard.decode(Sample.png(20, 10, seed: 7))
        held.arm()
        let store = Task { [cache = encoded.cache] in try await cache.store(image, for: request) }
        await held.waitUntilReached()
        let pipeline = encoded.pipeline
        let lookUp = Task { try await pipeline.encoded(for: request, as: .format(.png)).data }
        await eventually { [tiers = encoded.cache.tiers] in tiers.waitingReadCount > 0 }
        held.release()
        #expect(try await store.value)
        #expect(try await ImageCodecs.standard.decode(lookUp.value).owner == 7)
        let data = try await encoded.encoded(.format(.png), options).data
        #expect(try ImageCodecs.standard.decode(data).owner == 7)
    }

    /// A part of the cache, as an argument.
    enum CacheTier { case disk }

    @Test("of a damaged entry is followed by another encoding, which replaces it")
    func damage() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        let image = try await encoded.encoded()
        encoded.forgetMemory()
        let disk = DiskCache(DiskCache.Configuration(folder: encoded.test.folder))
        let key = try #require(try disk.entries().first).key
        // Metadata of no encoded image.
        try disk.store(image.data, for: key, metadata: Data("{}".utf8))
        #expect(try await encoded.encoded().source == .network)
        encoded.forgetMemory()
        let again = try await encoded.encoded()
        #expect(again.source == .disk && firstDifference(again.data, image.data) == nil)
        #expect(encoded.transport.startedCount == 2)
    }

    @Test("of a body that was changed on disk is followed by another encoding")
    func changedBody() async throws {
        encoded.transport.serve(encoded.url, Sample.encoded(Sample.noise(300, 200), .png))
        let image = try await encoded.encoded(.format(.png))
        encoded.forgetMemory()
        let request = ImageRequest(encoded.url)
        let files = try #require(FileManager.default.subpaths(atPath: encoded.test.folder))
        let bodies = files.map { "\(encoded.test.folder)/\($0)" }.filter {
            (try? Data(contentsOf: URL(filePath: $0)))?.count == image.data.count
        }
        let body = try #require(bodies.first)
        var bytes = image.data
        bytes[bytes.count / 2] ^= 0xFF
        try bytes.write(to: URL(filePath: body))
        #expect(try await encoded.encoded(.format(.png)).source == .network)
        #expect(encoded.pipeline.encodedFromMemory(for: request, as: .format(.png)) != nil)
        encoded.forgetMemory()
        let again = try await encoded.encoded(.format(.png))
        #expect(again.source == .disk && firstDifference(again.data, image.data) == nil)
    }
}
