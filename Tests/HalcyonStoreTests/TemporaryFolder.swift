import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting

/// A folder of its own for one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/halcyon-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The files below the folder, relative to it.
    var files: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter { name in
            (try? POSIXFileSystem().status(at: path + "/" + name).kind) == .file
        }
    }

    /// The bodies and the files on their way.
    var bodyFiles: [String] {
        files.filter { $0.hasPrefix("v3/bodies/") || $0.hasPrefix("v3/incoming/") }
    }

    var index: String { path + "/v3/index.sqlite" }
}

/// Collects what a cache reports.
final class EventLog: Sendable {
    private let log = Lock<[DiskCacheEvent]>([])

    var events: [DiskCacheEvent] { log.withLock { $0 } }

    func add(_ event: DiskCacheEvent) {
        log.withLock { $0.append(event) }
    }
}

/// A disk cache in a folder of its own, with a manual clock and a record of its events.
struct DiskCacheFixture {
    let folder: TemporaryFolder
    let clock: ManualStoreClock
    let log: EventLog
    let cache: DiskCache

    init(_ adjust: (inout DiskCache.Configuration) -> Void = { _ in }) throws {
        try self.init(in: TemporaryFolder(), clock: ManualStoreClock(), adjust)
    }

    init(
        in folder: TemporaryFolder,
        clock: ManualStoreClock = ManualStoreClock(),
        _ adjust: (inout DiskCache.Configuration) -> Void = { _ in }
    ) throws {
        let log = EventLog()
        var configuration = DiskCache.Configuration(folder: folder.path)
        configuration.sizeLimit = 1 << 30
        configuration.clock = clock.clock
        // Its tests say when.
        configuration.sweepInterval = nil
        configuration.onEvent = { log.add($0) }
        adjust(&configuration)
        self.folder = folder
        self.clock = clock
        self.log = log
        cache = DiskCache(configuration)
    }
}

/// Bytes that differ with the seed.
func bytes(_ count: Int, seed: Int = 0) -> Data {
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    return Data(
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    )
}
