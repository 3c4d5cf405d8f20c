import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A disk that fails")
struct DiskFaultTests {
    private let url = Sample.url()

    @Test("never stops a load; a folder that cannot be used is reported once, with its cause")
    func unusableFolder() async throws {
        let path = TestPipeline.temporaryPath()
        try Data("in the way".utf8).write(to: URL(filePath: path))
        let test = TestPipeline(folder: path)
        for seed in 0..<5 {
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: seed))
            #expect(try await test.pipeline.response(for: url).source == .network)
        }
        await test.settle()
        let faults = test.faults.withLock { $0 }
        #expect(!faults.isEmpty)
        #expect(Set(faults).count == faults.count)
        #expect(faults.allSatisfy { $0.stage == .store && $0.message.contains(path) })
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("in the way".utf8))
    }

    @Test("keeps no image that a forced refresh was to replace")
    func failedReplacement() async throws {
        let old = Sample.encoded(Sample.noise(100, 100), .png)
        // The number of writes of a file that storing the image takes.
        let counting = FaultInjectingFileSystem(.error(.noSpace), atCall: .max, of: [.write])
        let first = TestPipeline(fileSystem: counting)
        first.transport.serve(url, old)
        _ = try await first.pipeline.response(for: url, options: [.waitForCache])
        await first.settle()
        let full = FaultInjectingFileSystem(.errorFromNowOn(.noSpace), atCall: counting.callCount + 1, of: [.write])
        let test = TestPipeline(fileSystem: full)
        test.transport.serve(url, old)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        await test.settle()
        test.transport.serve(url, Sample.encoded(Sample.noise(100, 99), .png))
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh, .waitForCache])
        #expect(full.hasFired)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).source == .network)
    }

    /// Returns a file system that is full after one image of noise, as large as that of the other tests, was stored.
    private func fullAfterOneImage() async throws -> FaultInjectingFileSystem {
        let counting = FaultInjectingFileSystem(.error(.noSpace), atCall: .max, of: [.write])
        let test = TestPipeline(fileSystem: counting)
        let cache = test.pipeline.cache
        #expect(try await cache.store(Sample.encoded(Sample.noise(100, 100), .png), for: ImageRequest(url)))
        await cache.flush()
        withExtendedLifetime(test) {}
        return FaultInjectingFileSystem(.errorFromNowOn(.noSpace), atCall: counting.callCount + 1, of: [.write])
    }

    @Test("keeps no image that the program was to replace, although newer work has stored another in memory meanwhile")
    func overtakenReplacement() async throws {
        let (isArmed, slot) = (Lock(false), Lock<ImageCache?>(nil))
        let request = ImageRequest(url)
        let key = try #require(ImageKey(request))
        let image = try ImageCodecs.standard.decode(Sample.png())
        // Between the admission of the store and its failure.
        let full = try await fullAfterOneImage()
        let fileSystem = FaultInjectingFileSystem(
            observing: { call in
                guard call == .write, isArmed.withLock({ $0 }), let cache = slot.withLock({ $0 }) else { return }
                let registrations = ContentRegistrations(for: key, with: [cache])
                let claim = ContentClaim(registrations: registrations, transfer: WorkNumber.next())
                cache.remember(.image(image), byteCount: 1, nil, for: key, claim, CachePolicy(), sizes: nil)
            },
            base: full
        )
        let test = TestPipeline(fileSystem: fileSystem)
        let cache = test.pipeline.cache
        defer { withExtendedLifetime(test) {} }
        slot.withLock { $0 = cache }
        defer { slot.withLock { $0 = nil } }
        #expect(try await cache.store(Sample.encoded(Sample.noise(100, 100), .png), for: request))
        await cache.flush()
        isArmed.withLock { $0 = true }
        await #expect(throws: ImageError.self) {
            try await cache.store(image, original: Sample.encoded(Sample.noise(100, 99), .png), for: request)
        }
        #expect(full.hasFired)
        #expect(await cache.tiers(with: request) == .memory)
    }

    @Test("keeps no original that the program was to replace by other bytes")
    func failedBytes() async throws {
        let full = try await fullAfterOneImage()
        let test = TestPipeline(fileSystem: full)
        let cache = test.pipeline.cache
        defer { withExtendedLifetime(test) {} }
        let request = ImageRequest(url)
        #expect(try await cache.store(Sample.encoded(Sample.noise(100, 100), .png), for: request))
        await cache.flush()
        await #expect(throws: ImageError.self) {
            try await cache.store(Sample.encoded(Sample.noise(100, 99), .png), for: request)
        }
        #expect(full.hasFired)
        #expect(await cache.tiers(with: request) == [])
    }

    @Test("to list its folder holds up no look-up and hides nothing: none lists it, whenever it was stored")
    func listing() async throws {
        let listings = FaultInjectingFileSystem(.errorFromNowOn(.inputOutput), atCall: 1, of: [.names])
        let folder = TestPipeline.temporaryPath()
        let test = TestPipeline(folder: folder, fileSystem: listings)
        // The first is looked for before there is a folder, the others come while it is used.
        for _ in 0..<3 {
            let url = Sample.url()
            let body = Sample.encoded(Sample.noise(100, 100), .png)
            test.transport.serve(url, body)
            #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).source == .network)
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await test.pipeline.response(for: url).source == .disk)
            // Nor does another cache on the folder have to wait or to look.
            var disk = DiskCache.Configuration(folder: folder)
            disk.fileSystem = listings
            // Its end would look for files without an entry.
            disk.sweepInterval = nil
            let second = ImageCache(disk: disk, memoryCostLimit: 0)
            await test.pipeline.cache.flush()
            #expect(try await second.diskStatistics().count == test.transport.startedCount)
        }
        await test.settle()
        #expect(listings.callCount == 0)
    }

    @Test("while it is cleaned ends the clean with an error, and the next one does what is left")
    func cleaning() async throws {
        for number in 1...200 {
            let clock = ManualStoreClock()
            let test = TestPipeline(clock: clock.clock)
            let urls = (0..<3).map { _ in Sample.url() }
            for url in urls {
                test.transport.serve(url, Sample.encoded(Sample.noise(100, 100), .png))
                _ = try await test.pipeline.response(for: url, options: [.waitForCache])
            }
            await test.settle()
            clock.advance(by: 8 * 86_400)
            let failing = FaultInjectingFileSystem(.error(.inputOutput), atCall: number)
            var disk = DiskCache.Configuration(folder: test.folder)
            disk.fileSystem = failing
            disk.clock = clock.clock
            do {
                _ = try await ImageCache(disk: disk, memoryCostLimit: 0).removeExpired()
            } catch {
                #expect((error as? ImageError)?.stage == .store, "call \(number)")
            }
            _ = try await test.pipeline.cache.removeExpired()
            #expect(try await test.pipeline.cache.diskStatistics().count == 0, "call \(number)")
            #expect(try await test.pipeline.cache.verifyDisk(repair: false).isSound, "call \(number)")
            guard failing.hasFired else { return }
        }
        Issue.record("every run met a fault")
    }

    @Test("because it is full fails no load, and keeps no part of an entry")
    func fullDisk() async throws {
        let test = TestPipeline(
            fileSystem: FaultInjectingFileSystem(
                .errorFromNowOn(FileSystemError(code: Int(ENOSPC))),
                atCall: 1,
                of: [.write]
            )
        )
        // Large enough to be a file of its own.
        let body = Sample.encoded(Sample.noise(100, 100), .png)
        #expect(body.count > 16_384)
        test.transport.serve(url, body)
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).source == .network)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(test.faults.withLock { $0.first?.message.contains("No space left") } == true)
        #expect(try await test.pipeline.cache.verifyDisk(repair: false).orphans.isEmpty)
    }

    @Test("by returning other bytes is a miss that heals itself")
    func damagedBody() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        // The stored bytes are sound, but no image: the checksum cannot help.
        let key = ImageKey(original: OriginalKey(text: url.absoluteString), variant: nil).originalDiskKey
        try await test.pipeline.cache.disk.perform { _ = try $0.store(Data("nonsense".utf8), for: key) }
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).source == .network)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).source == .disk)
        #expect(test.transport.startedCount(url) == 2)
    }

    @Test("is not suspected of damage when only the request cannot be met")
    func soundBody() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        test.pipeline.cache.removeAllFromMemory()
        for option in [ImageOption.frame(9), .decodeLimits(DecodeLimits(pixelCount: 1))] {
            await #expect(throws: ImageError.self) {
                try await test.pipeline.response(for: url, options: [option])
            }
        }
        #expect(test.transport.startedCount(url) == 1)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("with a processed image that cannot be decoded goes on from the original")
    func damagedProcessed() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        let options: [ImageOption] = [.processor(.crop(to: .pixels(9, 9))), .cacheOriginalImage, .waitForCache]
        let first = try await test.pipeline.response(for: url, options: options)
        let entries = try await test.pipeline.cache.storedImages()
        let processed = try #require(entries.first { $0.isProcessed })
        let metadata = ProcessedImageMetadata(first.image, byteCount: 1).data
        try await test.pipeline.cache.disk.perform {
            _ = try $0.store(Data("nonsense".utf8), for: processed.listing.key, metadata: metadata)
        }
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.source == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(test.transport.startedCount(url) == 1)
    }

    @Test("because its folder was deleted goes on with a new one")
    func deletedFolder() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        await test.pipeline.cache.flush()
        try FileManager.default.removeItem(atPath: test.folder)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).source == .network)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).source == .disk)
    }
}
