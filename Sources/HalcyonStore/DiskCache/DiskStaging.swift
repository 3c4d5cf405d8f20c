internal import FoundationEssentials
internal import HalcyonConcurrency
internal import Synchronization

/// An entry that is stored but not yet in the index.
struct StagedEntry {
    let key: String
    let body: Data
    let entry: NewDiskEntry

    var byteCount: Int { body.count + entry.metadata.count + key.utf8.count }

    /// The entry as the index will hold it.
    func row(id: Int64) -> DiskIndexRow {
        DiskIndexRow(id: id, key: key, body: body, entry: entry)
    }
}

/// The entries that wait for a common transaction: one of a hundred entries takes a fifth of a hundred transactions.
///
/// They can be looked up from the moment they are here until they are in the index. A batch being written is held apart,
/// since entries may be replaced meanwhile; only who holds the connection that writes begins and ends it.
struct DiskStaging {
    private var pending: [Int64: StagedEntry] = [:]
    private var writing: [Int64: StagedEntry] = [:]
    private var byteCount = 0
    /// When the first of those pending was stored.
    private var began = DiskTime.never

    var isEmpty: Bool { pending.isEmpty && writing.isEmpty }

    /// The entry of a key.
    func entry(_ key: DiskKey) -> StagedEntry? {
        guard let entry = pending[key.id] ?? writing[key.id], key.hasBytes(of: entry.key) else { return nil }
        return entry
    }

    /// Adds an entry. Returns whether it is time to write: 128 entries, 1 MiB, or what has waited for a second.
    mutating func add(_ entry: StagedEntry, id: Int64) -> Bool {
        if pending.isEmpty { began = entry.entry.storedAt }
        byteCount += entry.byteCount
        if let earlier = pending.updateValue(entry, forKey: id) { byteCount -= earlier.byteCount }
        return pending.count >= 128 || byteCount >= 1 << 20 || entry.entry.storedAt > began.advanced(by: 1_000_000)
    }

    /// Takes out the entry with a number, if it has the key. Returns whether it had.
    mutating func remove(_ key: DiskKey) -> Bool {
        guard let entry = pending[key.id], key.hasBytes(of: entry.key) else { return false }
        forget(key.id)
        return true
    }

    /// Takes out the entry with a number: another takes its place.
    mutating func forget(_ id: Int64) {
        if let entry = pending.removeValue(forKey: id) { byteCount -= entry.byteCount }
    }

    mutating func removeAll() -> [String] {
        defer {
            pending = [:]
            byteCount = 0
        }
        return pending.values.map(\.key)
    }

    /// Hands over what is pending, in the order of the index's rows.
    mutating func beginWriting() -> [(id: Int64, entry: StagedEntry)] {
        writing = pending
        pending = [:]
        byteCount = 0
        return writing.map { (id: $0.key, entry: $0.value) }.sorted { $0.id < $1.id }
    }

    /// The batch is in the index.
    mutating func endWriting() {
        writing = [:]
    }

    /// The batch could not be written and waits again, except for what was replaced meanwhile.
    mutating func abandonWriting() {
        for (id, entry) in writing where pending[id] == nil {
            pending[id] = entry
            byteCount += entry.byteCount
        }
        writing = [:]
    }
}

/// The staging under its lock, and whether it is empty, which look-ups ask without taking the lock: threads that read at
/// the same time would take its line of the processor's cache from each other, and nearly always find nothing.
final class DiskStagingLock: Sendable {
    private let staging = Lock(DiskStaging())
    /// Written under the lock, after the change. Releasing and acquiring, so that who finds it empty after a batch was
    /// written finds the batch in the index.
    private let isOccupied = Atomic(false)

    var isEmpty: Bool { !isOccupied.load(ordering: .acquiring) }

    func withLock<Result>(_ body: (inout DiskStaging) throws -> Result) rethrows -> Result {
        try staging.withLock { staging in
            defer { isOccupied.store(!staging.isEmpty, ordering: .releasing) }
            return try body(&staging)
        }
    }
}
