internal import FoundationEssentials
internal import HalcyonSystem

/// A cache on disk: an SQLite index that holds small bodies, and files for large ones.
///
/// Its promises:
/// - **Never wrong.** An entry that is found has the full key that was asked for, and a body whose checksum is right.
///   Anything else is a miss, and the entry is removed.
/// - **Never lost by a crash**, except the entry being written: a body is complete before its entry exists.
/// - **Shared.** Any number of caches and processes may use one folder at a time.
/// - **Bounded.** Each store enforces the limit by removing the least recently used entries. Expired entries, and files
///   of processes that ended while they wrote, are removed in the background.
/// - **Self-healing.** The folder may vanish and the index be overwritten at any time; the cache goes on empty. Until
///   the clock moves on, which is every 4 ms, one look-up after another may still find what was in a folder that
///   vanished.
/// - Look-ups never throw: what keeps them from answering is reported to ``Configuration/onEvent``.
///
/// All calls block and may be made from any thread. Threads read at the same time, and while one writes.
///
/// Nothing happens before the first call; ``open()`` reports problems early.
public final class DiskCache: Sendable {
    let configuration: Configuration
    let layout: DiskLayout
    let state: Lock<State>
    /// Held while the index is opened, which may wait for other processes. Taken before `state`, never under it.
    let opening = Lock(())
    let folderPatience: DiskPatience
    let touches: Lock<DiskTouchBuffer>
    let staging = DiskStagingLock()
    let folderSync: DiskFolderSync
    let reportedFailures = DiskFailures()
    let listeners = RemovalListeners()
    let sweep: DiskSweep
    let orphanSearch = Lock(DiskOrphanSearch())

    struct State {
        var index: DiskIndex?
        var isClosed = false
        /// The time at which a look-up last looked for the index by its name, on the monotonic clock.
        var soughtAt = Int64.max
        /// The time at which a look-up last made sure that the index has a name; nil after any other call.
        var linkedAt: Int64?
        /// The number of look-ups since ``soughtAt``.
        var lookUpCount = 0
        var hasOpenedBefore = false
        var settings: DiskSettings
        /// Set when the limit was reached, until the low-water mark is.
        private var isTrimming = false
        private var eviction = Eviction.none

        init(settings: DiskSettings) {
            self.settings = settings
        }

        private enum Eviction {
            case none
            /// - Parameter hasNewStores: Whether others have stored since it began.
            case running(hasNewStores: Bool)
        }

        /// Returns what to evict down to after a store; `nil` if there is nothing to evict, or another thread does it.
        mutating func beginEviction(_ totals: DiskTotals, _ limit: Int) -> Int? {
            let target = settings.target(below: limit)
            isTrimming = totals.bytes > limit || (isTrimming && totals.bytes > target)
            guard isTrimming else { return nil }
            guard case .none = eviction else {
                eviction = .running(hasNewStores: true)
                return nil
            }
            eviction = .running(hasNewStores: false)
            return target
        }

        /// Returns whether others have stored since the eviction began, and left the limit to it.
        mutating func endEviction() -> Bool {
            defer { eviction = .none }
            if case .running(hasNewStores: true) = eviction { return true }
            return false
        }
    }

    /// Makes a cache. Does not touch the disk yet.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        layout = DiskLayout(folder: configuration.folder)
        state = Lock(State(settings: DiskSettings(configuration)))
        touches = Lock(DiskTouchBuffer())
        folderPatience = DiskPatience(configuration.busyTimeout)
        folderSync = DiskFolderSync(layout, configuration.fileSystem)
        sweep = DiskSweep(task: SweepTask(interval: configuration.sweepInterval, clock: configuration.sweepClock))
    }

    deinit {
        try? flush()
        sweepBeforeEnd()
    }

    /// The entries that this object removes from now on, with the reasons: those that it evicts, that it finds expired
    /// or damaged, and whose removal is requested. Entries that are replaced, or that other processes remove, are not
    /// among them.
    ///
    /// Each call returns a stream of its own. A stream that is not read holds the newest 16,384 removals.
    public var removals: AsyncStream<CacheRemoval<String>> { listeners.makeStream() }

    /// The folder of this cache.
    public var folder: String { configuration.folder }

    var fileSystem: any FileSystem { configuration.fileSystem }

    var now: DiskTime { DiskTime(configuration.clock.now()) }

    /// Returns the entry stored under `key`; nil if there is none, it has expired, or it cannot be read.
    ///
    /// - Parameter extending: the effect of the look-up on its expiry; default: its lifetime starts again.
    public func entry(for key: String, extending: ExpirationExtension = .originalLifetime) -> Entry? {
        lookUp(key, extending: extending).flatMap { $0.isOver ? nil : $0.entry }
    }

    /// Does the same, but returns an entry that has expired as well, as long as it is there.
    package func lookUp(_ key: String, extending: ExpirationExtension) -> (entry: Entry, isOver: Bool)? {
        answering(.read, nil) {
            try withKey(key) { key in
                switch try lookUpStaged(key) {
                case .found(let row, let body, let hash):
                    return used(row, body, hash, extending, at: configuration.clock.now())
                case .lost: return nil
                case .absent(let time):
                    return try withIndex(found: .inTurn) {
                        try lookUp(key, in: $0, storedAfter: time, extending: extending)
                    }
                }
            }
        }
    }

    /// Returns whether there is an entry for `key` that has not expired. Reads no body, and changes neither expiry nor
    /// order.
    public func contains(_ key: String) -> Bool { contains(key, ifUnreadable: false) }

    /// Returns whether there is an entry for `key`, as ``contains(_:)``.
    ///
    /// - Parameter fallback: the answer if the index cannot be read.
    package func contains(_ key: String, ifUnreadable fallback: Bool) -> Bool {
        answering(.read, fallback) {
            try withKey(key) { key in
                let staged = stagedEntry(for: key)
                if let staged, !staged.isWithdrawn { return !isOver(staged.row(id: key.id), at: now) }
                let row = try withIndex(found: .inTurn) { index in
                    try requireLinked(index)
                    return try index.read { try DiskIndexRow.find(key, in: $0) }
                }
                guard let row, row.storedAt > staged?.entry.storedAt ?? .earliest else { return false }
                return !isOver(row, at: now)
            }
        }
    }

    /// - Parameter time: entries stored until then were to be replaced.
    private func lookUp(
        _ key: DiskKey,
        in index: DiskIndex,
        storedAfter time: DiskTime,
        extending: ExpirationExtension
    ) throws -> (entry: Entry, isOver: Bool)? {
        var previous: DiskIndexRow?
        while let row = try index.read({ try DiskIndexRow.find(key, in: $0) }) {
            if row.storedAt <= time { return nil }
            let date = configuration.clock.now()
            switch try readBody(of: row) {
            case .sound(let body, let hash):
                return used(row, body, hash, extending, at: date)
            case .missing where row.file != previous?.file:
                // Replaced or evicted by another thread since the row was read: the next row shows which.
                previous = row
            case .missing:
                // A folder that was moved has taken its files along; this index is no longer the one to correct.
                guard isPresent(index) else { throw FileSystemError.notFound }
                try discard(row, in: index, because: "its file is missing", waits: false)
                return nil
            case .damaged(let reason):
                try discard(row, in: index, because: reason, waits: false)
                return nil
            }
        }
        // An entry that is not in an index whose file was removed may be in the one that another process has made
        // since.
        try requireLinked(index)
        return nil
    }

    /// Makes the caller's ``withIndex(found:_:)`` go on with another index if the file of this one was removed.
    private func requireLinked(_ index: DiskIndex) throws {
        guard index.isLinked else { throw FileSystemError.notFound }
    }

    /// Calls `body` with the number and the bytes of a key.
    func withKey<Result>(
        _ key: String,
        _ body: (DiskKey) throws -> Result
    ) rethrows -> Result {
        var native = key
        return try native.withUTF8 { characters in
            let bytes = UnsafeRawBufferPointer(characters)
            return try body(DiskKey(id: Int64(bitPattern: configuration.keyHash(bytes)), text: key, bytes: bytes))
        }
    }
}
