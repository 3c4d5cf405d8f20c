import FoundationEssentials
import Glibc
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A disk that fails")
struct DiskFaultTests {
    private let url = Sample.url()

    @Test("never stops a load; a folder that cannot be used is reported once, with its cause (BB-28, R-44)")
    func unusableFolder() async throws {
        let path = TestPipeline.temporaryPath()
        try Data("in the way".utf8).write(to: URL(filePath: path))
        let test = TestPipeline(folder: path)
        for seed in 0..<5 {
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: seed))
            #expect(try await test.pipeline.response(for: url).origin == .network)
        }
        await test.settle()
        let faults = test.faults.withLock { $0 }
        #expect(!faults.isEmpty)
        #expect(Set(faults).count == faults.count)
        #expect(faults.allSatisfy { $0.stage == .store && $0.message.contains(path) })
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("in the way".utf8))
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
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).origin == .network)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(test.faults.withLock { $0.first?.message.contains("No space left") } == true)
        #expect(try await test.pipeline.cache.verifyDisk(repair: false).orphans.isEmpty)
    }

    @Test("by returning other bytes is a miss that heals itself (N-6, R-11)")
    func damagedBody() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        // What is stored is sound, but no image: the checksum cannot help.
        let key = ImageKey(original: OriginalKey(text: url.absoluteString), variant: nil).originalDiskKey
        try await test.pipeline.cache.disk.perform { _ = try $0.put(key, body: Data("nonsense".utf8)) }
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).origin == .network)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).origin == .disk)
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
        let options: [ImageOption] = [.processor(.crop(to: PixelSize(9, 9))), .cacheOriginalImage, .waitForCache]
        let first = try await test.pipeline.response(for: url, options: options)
        let entries = try await test.pipeline.cache.storedImages()
        let processed = try #require(entries.first { $0.isProcessed })
        let metadata = ProcessedImageMetadata(info: first.image.info, byteCount: 1).data
        try await test.pipeline.cache.disk.perform {
            _ = try $0.put(processed.listing.key, body: Data("nonsense".utf8), metadata: metadata)
        }
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.origin == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(test.transport.startedCount(url) == 1)
    }

    @Test("because its folder was deleted goes on with a new one (R-47, BB-27)")
    func deletedFolder() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        try FileManager.default.removeItem(atPath: test.folder)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.waitForCache]).origin == .network)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).origin == .disk)
    }
}
