import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonStore

@Suite("Threads of the disk cache")
struct DiskWorkerTests {
    private func entry(in disk: DiskTier) async -> TierEntry? {
        let answer = await disk.entry(for: CacheKey(name: "a"), extending: .none, TierCall())
        return if case .hit(let entry) = answer { entry } else { nil }
    }

    @Test("look-ups do not wait behind stores and removals that wait for the disk")
    func writersThatWait() async throws {
        let gate = Gate()
        let (reached, isHeld) = (Lock(0), Lock(false))
        let fileSystem = FaultInjectingFileSystem(observing: { call in
            guard call == .rename, isHeld.withLock({ $0 }) else { return }
            reached.withLock { $0 += 1 }
            gate.block()
        })
        let test = TestPipeline(fileSystem: fileSystem)
        let cache = test.pipeline.cache
        let url = Sample.url()
        #expect(try await cache.store(Sample.png(), for: ImageRequest(url)))
        isHeld.withLock { $0 = true }
        let count = 8
        let stores = (0..<count).map { seed in
            let body = Sample.encoded(Sample.noise(100 + seed, 100), .png)
            return Task { try await cache.store(body, for: ImageRequest(Sample.url())) }
        }
        // Stores and removals have a thread of their own; the other stores wait for it.
        await eventually { reached.withLock { $0 } >= 1 }
        #expect(try await test.pipeline.response(for: url).source == .disk)
        #expect(await cache.storedData(for: ImageRequest(url)) != nil)
        #expect(await cache.tiers(with: ImageRequest(url)) == .all)
        cache.removeAllFromMemory()
        #expect(await cache.tiers(with: ImageRequest(url)) == .disk)
        gate.open()
        for store in stores { #expect(try await store.value) }
    }

    @Test("loads wait for their stores while too much waits for the disk, and not afterwards")
    func slowDisk() async throws {
        let test = TestPipeline()
        let tiers = test.pipeline.cache.tiers
        let (url, other) = (Sample.url(), Sample.url())
        for url in [url, other] { test.transport.serve(url, Sample.png()) }
        let gate = DispatchGate()
        tiers.disk.writing.schedule(priority: .high) { gate.wait() }
        let store = tiers.store(
            for: CacheKey(name: "large"),
            expiration: nil,
            byteCount: CacheTiers.pendingByteLimit + 1,
            admission: { false },
            content: { (Data([1]), Data()) }
        )
        #expect(tiers.isBehind)
        let task = test.pipeline.task(for: url)
        // The image is made, and its store waits.
        await eventually { [pipeline = test.pipeline] in pipeline.responseFromMemory(for: url) != nil }
        #expect(task.finishedResponse == nil)
        gate.open()
        #expect(try await task.response.timings.store != nil)
        await store.value
        #expect(!tiers.isBehind)
        #expect(try await test.pipeline.response(for: other).timings.store == nil)
    }

    @Test("waiting for what was stored ends although more is stored all the time")
    func flushUnderLoad() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tiers = CacheTiers(disk: DiskTier(configuration: .init(folder: folder), onFault: nil), [])
        let admission: StoreAdmission = { false }
        let (isFlushed, linkCount) = (Gate(), Lock(0))
        // Each store begins the next before it ends, so that at no moment there is none.
        @Sendable func begin(_ number: Int) -> Task<Void, Never> {
            linkCount.withLock { $0 = number }
            return tiers.store(for: CacheKey(name: "\(number)"), expiration: nil, byteCount: 1, admission: admission) {
                if !isFlushed.isOpen, number < 20_000 { _ = begin(number + 1) }
                return (Data([1]), Data())
            }
        }
        _ = begin(1)
        await tiers.flush()
        isFlushed.open()
        #expect(linkCount.withLock { $0 } < 20_000)
        await tiers.flush()
    }

    @Test("what was stored is written in a task that was cancelled, too")
    func cancelledFlush() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = DiskTier(
            configuration: DiskCache.Configuration(folder: folder),
            flushClock: ManualClock(),
            onFault: nil
        )
        try await disk.change { _ = try $0.store(Data([1]), for: "a", durability: .none) }
        let flush = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = await disk.flush(TierCall())
        }
        await flush.value
        #expect(DiskCache(DiskCache.Configuration(folder: folder)).entry(for: "a")?.body == Data([1]))
        let entry = try #require(await entry(in: disk))
        let removal = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await disk.remove(.entry(CacheKey(name: "a"), entry.version), TierCall())
        }
        #expect(await removal.value == .done())
        #expect(try await disk.row(for: CacheKey(name: "a"), expired: true) == nil)
    }

    @Test("metadata is replaced in a task that was cancelled, too")
    func cancelledUpdate() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = DiskTier(configuration: .init(folder: folder), onFault: nil)
        try await disk.change { _ = try $0.store(Data([1]), for: "a") }
        let version = try #require(await entry(in: disk)?.version)
        let update = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await disk.update(Data([2]), nil, for: CacheKey(name: "a"), replacing: version, TierCall())
        }
        let updated = await update.value
        let found = try #require(await entry(in: disk))
        #expect(found.metadata == Data([2]))
        #expect(updated == .done(version: found.version))
    }

    @Test("waiting for what was stored removes what a killed process left, before the first sweep of the background")
    func sweepOfShortProcess() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let orphan = "\(folder)/v3/bodies/0/0/0000000000000001"
        let fileSystem = POSIXFileSystem()
        try fileSystem.createFolders("\(folder)/v3/bodies/0/0")
        fileSystem.close(try fileSystem.create(orphan))
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.sweepClock = ManualClock()
        let disk = DiskTier(configuration: configuration, onFault: nil)
        #expect(await entry(in: disk) == nil)
        #expect(FileManager.default.fileExists(atPath: orphan))
        _ = await disk.flush(TierCall())
        #expect(!FileManager.default.fileExists(atPath: orphan))
    }

    @Test("a write that another process prevents is tried again until it succeeds", .timeLimit(.minutes(5)))
    func retriedFlush() async throws {
        let (folder, clock) = (TestPipeline.temporaryPath(), ManualClock())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.busyTimeout = 1
        let other = DiskCache(configuration)
        try other.open()
        let tiers = CacheTiers(disk: DiskTier(configuration: configuration, flushClock: clock, onFault: nil), [])
        let admission: StoreAdmission = { true }
        let process = try SQLiteConnection("\(folder)/v3/index.sqlite", creates: false, busyTimeout: 0)
        try process.execute("BEGIN IMMEDIATE")
        let key = CacheKey(name: "a")
        await tiers.store(for: key, expiration: nil, byteCount: 1, admission: admission) { (Data([1]), Data()) }.value
        for delay in [Duration.milliseconds(100), .seconds(1), .seconds(1)] {
            await clock.waitForSleepers(1)
            clock.advance(by: delay)
        }
        await clock.waitForSleepers(1)
        #expect(!other.contains("a"))
        try process.execute("COMMIT")
        clock.advance(by: .seconds(1))
        await eventually { other.contains("a") }
        #expect(clock.sleeperCount == 0)
    }

    @Test("write down what is staged when the cache ends, whichever thread releases it", .timeLimit(.minutes(5)))
    func end() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (isReleased, labels) = (Lock(false), Lock<Set<String>>([]))
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.sweepInterval = nil
        let other = DiskCache(configuration)
        try other.open()
        configuration.fileSystem = FaultInjectingFileSystem(observing: { _ in
            guard isReleased.withLock({ $0 }) else { return }
            let label = currentQueueLabel
            labels.withLock { _ = $0.insert(label) }
        })
        let admission: StoreAdmission = { true }
        do {
            let disk = DiskTier(configuration: configuration, flushClock: ManualClock(), onFault: nil)
            let (tiers, key) = (CacheTiers(disk: disk, []), CacheKey(name: "a"))
            await tiers.store(for: key, expiration: nil, byteCount: 1, admission: admission) { (Data([1]), Data()) }
                .value
            isReleased.withLock { $0 = true }
        }
        await eventually { other.contains("a") }
        #expect(labels.withLock { $0 } == ["halcyon.disk-changes.0"])
    }
}
