import Dispatch
import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A file that changes")
struct FileIdentityTests {
    private let test = TestPipeline()
    private let path = TestPipeline.temporaryPath()
    /// Two images whose files have the same size.
    private let first = Sample.encoded(Sample.bitmap(seed: 1), .bmp)
    private let second = Sample.encoded(Sample.bitmap(seed: 2), .bmp)

    private var request: ImageRequest { ImageRequest(.file(path)) }

    @Test("is read again though it has the size, the inode and the modification time that it had")
    func rewritten() async throws {
        defer { unlink(path) }
        try first.write(to: URL(filePath: path))
        #expect(first.count == second.count)
        #expect(try await test.pipeline.image(from: request).owner == 1)
        var status = stat()
        #expect(stat(path, &status) == 0)
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        // The kernel counts the time of changes in ticks: the file must be changed in a later one than it was written in.
        var now = timespec()
        repeat {
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
        } while now.tv_sec == status.st_ctim.tv_sec
            && now.tv_nsec <= status.st_ctim.tv_nsec
        #expect(second.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == second.count)
        #expect(futimens(descriptor, [status.st_atim, status.st_mtim]) == 0)
        #expect(try await test.pipeline.image(from: request).owner == 2)
    }

    @Test("while it is loaded gives no image to loads of what it was")
    func exchanged() async throws {
        let other = path + ".other"
        defer { for path in [path, other] { unlink(path) } }
        try first.write(to: URL(filePath: path))
        try second.write(to: URL(filePath: other))
        let stages = test.pipeline.stages
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let pending = stages.resolver.begin(request)
        let resolved = try await stages.resolver.resolve(pending, context: context)
        #expect(rename(other, path) == 0)
        let response = try await Load(ImageForm(stages)).shared(resolved, context: context)
        #expect(response.image.owner == 2)
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
    }

    @Test("is found in memory without waiting as it was examined last, also by its URL")
    func lastExamined() async throws {
        defer { unlink(path) }
        try first.write(to: URL(filePath: path))
        #expect(test.pipeline.responseFromMemory(for: request) == nil)
        _ = try await test.pipeline.image(from: request)
        #expect(test.pipeline.responseFromMemory(for: request)?.image.owner == 1)
        #expect(test.pipeline.responseFromMemory(for: URL(filePath: path))?.image.owner == 1)
        #expect(test.pipeline.responseFromMemory(for: ImageRequest(.file(path), options: [.forceRefresh])) == nil)
        // Of another size, as the time of changes is counted in ticks.
        try Sample.encoded(Sample.bitmap(seed: 2), .png).write(to: URL(filePath: path))
        #expect(test.pipeline.responseFromMemory(for: request)?.image.owner == 1)
        #expect(try await test.pipeline.image(from: request).owner == 2)
        #expect(test.pipeline.responseFromMemory(for: request)?.image.owner == 2)
        #expect(unlink(path) == 0)
        await #expect(throws: ImageError.self) { try await test.pipeline.image(from: request) }
        #expect(test.pipeline.responseFromMemory(for: request) == nil)
    }

    @Test("is examined while whole files are read on all threads for that")
    func lane() async throws {
        defer { unlink(path) }
        try first.write(to: URL(filePath: path))
        let isReading = DispatchSemaphore(value: 0)
        let mayRead = DispatchSemaphore(value: 0)
        let files = FileFetcher(thumbnails: nil)
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let reads = (0..<2).map { _ in
            Task {
                try await files.run(priority: context.priority) {
                    isReading.signal()
                    mayRead.wait()
                }
            }
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                for _ in reads { isReading.wait() }
                continuation.resume()
            }
        }
        #expect(try await files.identity(of: path, context: context).byteCount == first.count)
        for _ in reads { mayRead.signal() }
        for read in reads { try await read.value }
    }

    @Test("while it is read leaves nothing in the caches, under a name of its own either")
    func torn() throws {
        defer { unlink(path) }
        try first.write(to: URL(filePath: path))
        let named = ImageRequest(.file(path, cacheKey: "drawing"))
        let resolved = try #require(test.pipeline.stages.resolver.begin(named).resolved)
        #expect(resolved.effect(ofFileIn: nil) == .leave)
        #expect(resolved.effect(ofFileIn: try FileReader.identity(of: path)) == .store)
    }
}
