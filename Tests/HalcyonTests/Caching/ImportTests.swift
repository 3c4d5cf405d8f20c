import FoundationEssentials
import HalcyonConcurrency
import HalcyonStore
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Taking in an export of images")
struct ImportTests {
    private let crop: ImageOptions = [.processor(.crop(to: PixelSize(9, 9)))]
    private let other: ImageOptions = [.processor(.crop(to: PixelSize(7, 7)))]

    /// An export of some originals, as another cache wrote it.
    private func export(_ urls: [URL]) async throws -> String {
        let one = TestPipeline()
        for url in urls {
            one.transport.serve(url, Sample.png(200, 100, seed: 1))
            _ = try await one.pipeline.response(for: url, options: crop.applying([.cacheOriginalImage]))
        }
        await one.settle()
        let folder = TestPipeline.temporaryPath()
        #expect(try await one.pipeline.cache.exportImages(to: folder) == 2 * urls.count)
        return folder
    }

    /// Calls `body` while an import is held that has read nothing but its manifest.
    private func importing(_ urls: [URL], _ body: (TestPipeline, ImageCache) async throws -> Void) async throws -> Int {
        let (held, isArmed, opened) = (HeldCall(), Lock(false), Lock(0))
        let test = TestPipeline(
            fileSystem: FaultInjectingFileSystem(observing: { call in
                guard call == .openForReading, isArmed.withLock({ $0 }) else { return }
                // The manifest is opened twice, then the first body.
                let number = opened.withLock { count in
                    count += 1
                    return count
                }
                if number == 3 {
                    isArmed.withLock { $0 = false }
                    held.pass()
                }
            })
        )
        let cache = test.pipeline.cache
        // The index is open, and with it the lock file.
        _ = try await cache.diskStatistics()
        let folder = try await export(urls)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        held.arm()
        isArmed.withLock { $0 = true }
        async let count = cache.importImages(from: folder)
        await held.waitUntilReached()
        try await body(test, cache)
        held.release()
        return try await count
    }

    @Test("replaces nothing of an original whose name differs in its bytes alone")
    func equivalentNames() async throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let image = try ImageCodecs.standard.decode(Sample.png())
        func request(_ name: String, _ options: ImageOptions) -> ImageRequest {
            ImageRequest(.data(Data(), cacheKey: name), options: options)
        }
        let one = TestPipeline()
        try await one.pipeline.cache.store(Sample.png(), for: request(composed, []))
        try await one.pipeline.cache.store(image, for: request(decomposed, crop))
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await one.pipeline.cache.exportImages(to: folder) == 2)
        let test = TestPipeline()
        let cache = test.pipeline.cache
        try await cache.store(image, for: request(decomposed, other))
        #expect(try await cache.importImages(from: folder) == 2)
        cache.removeAllFromMemory()
        for request in [request(composed, []), request(decomposed, crop), request(decomposed, other)] {
            #expect(await cache.tiers(with: request) == .disk)
        }
    }

    @Test("stores nothing that is removed while it goes on", arguments: 0..<4)
    func removal(kind: Int) async throws {
        let urls = [Sample.url(), Sample.url()]
        let count = try await importing(urls) { _, cache in
            switch kind {
            case 0: try await cache.removeAll()
            case 1: try await cache.removeAllFromDisk()
            case 2: try await cache.removeAll(originalsBeginningWith: "https://images.example/")
            default:
                for url in urls { try await cache.remove(for: ImageRequest(url), from: .disk) }
            }
        }
        #expect(count == 0)
    }

    @Test("does not take the place of what was loaded since it began")
    func laterLoad() async throws {
        let url = Sample.url()
        let newer = Sample.png(30, 20, seed: 5)
        let count = try await importing([url]) { test, cache in
            test.transport.serve(url, newer)
            _ = try await test.pipeline.response(for: url, options: [.forceRefresh, .waitForCache])
            #expect(await cache.storedData(for: ImageRequest(url)) == newer)
        }
        #expect(count == 0)
    }

    @Test("does not take the place of what was made of an original that was loaded since it began")
    func laterResult() async throws {
        let url = Sample.url()
        let newer = Sample.png(30, 20, seed: 5)
        let crop = crop
        let count = try await importing([url]) { test, cache in
            test.transport.serve(url, newer)
            let options = crop.applying([.forceRefresh, .waitForCache])
            _ = try await test.pipeline.response(for: url, options: options)
            #expect(await cache.storedData(for: ImageRequest(url, options: crop)) != nil)
        }
        #expect(count == 0)
    }

    @Test("replaces what was known of its originals, in memory and on disk, and leaves others alone")
    func replacement() async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let (url, unrelated) = (Sample.url(), Sample.url())
        for url in [url, unrelated] {
            test.transport.serve(url, Sample.png())
            for options in [ImageOptions(), crop, other] {
                _ = try await test.pipeline.response(for: url, options: options.applying([.cacheOriginalImage]))
            }
        }
        await test.settle()
        let folder = try await export([url])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await cache.importImages(from: folder) == 2)
        #expect(!cache.isInMemory(ImageRequest(url)) && !cache.isInMemory(ImageRequest(url, options: crop)))
        #expect(await cache.tiers(with: ImageRequest(url, options: crop)) == .disk)
        #expect(await cache.tiers(with: ImageRequest(url, options: other)) == [])
        let response = try await test.pipeline.response(for: url, options: ImageOptions())
        #expect(response.source == .disk && response.image.size == PixelSize(200, 100))
        #expect(cache.isInMemory(ImageRequest(unrelated)) && cache.isInMemory(ImageRequest(unrelated, options: other)))
        await eventually { cache.order.permitCount == 0 && !cache.order.isChanging }
    }
}
