internal import Glibc

/// Settings of the memory that malloc and SQLite use in this process. They hold for the whole process, so they belong
/// to the command and not to the library.
enum MemoryAllocation {
    /// Keeps what is resident close to what is in use; to be called before there are threads.
    ///
    /// glibc makes up to eight arenas for each processor, and each keeps what its threads once had: after 4,000 images
    /// that were stored on disk, 114 MB where 43 MB were in use, with two arenas 74 MB. The thresholds, once set, are
    /// not raised any more by blocks that libraries free; lower ones cost processor time and save nothing more.
    static func limit() {
        set(arenaCount, to: 2)
        set(mappingThreshold, to: 1 << 20)
        set(trimThreshold, to: 8 << 20)
        limitSQLite(to: 16 << 20)
    }

    // M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of malloc.h.
    private static let trimThreshold: Int32 = -1
    private static let mappingThreshold: Int32 = -3
    private static let arenaCount: Int32 = -8

    /// Calls `mallopt`, whose header is not in Swift's module of glibc; a C library without it needs no setting.
    private static func set(_ parameter: Int32, to value: Int32) {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        // The type is that of mallopt(3).
        let function = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = function(parameter, value)
    }

    /// Limits the memory of SQLite: each connection to the index of the disk cache may keep 8 MiB of it or more, and
    /// above this limit, in bytes, they reuse what they have (`sqlite3_soft_heap_limit64`). A server of many requests
    /// gains by more, a single run does not.
    private static func limitSQLite(to byteCount: Int64) {
        guard let symbol = dlsym(nil, "sqlite3_soft_heap_limit64") else { return }
        // The type is that of https://sqlite.org/c3ref/hard_heap_limit64.html.
        let function = unsafeBitCast(symbol, to: (@convention(c) (Int64) -> Int64).self)
        _ = function(byteCount)
    }
}
