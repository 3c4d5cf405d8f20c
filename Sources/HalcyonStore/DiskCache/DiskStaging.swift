internal import FoundationEssentials
internal import HalcyonSystem
internal import Synchronization

/// The entries that wait for a common transaction, since one of a hundred entries takes a fifth of a hundred
/// transactions, and the stores under way.
///
/// Entries can be looked up from the moment they are here until they are in the index. A batch being written is held
/// apart, since entries may be replaced meanwhile; only the thread that holds the connection that writes begins and
/// ends it.
///
/// Bodies may be freed by code of the user, so removed entries are returned, for the caller to free with no lock held.
struct DiskStaging {
    var stores = DiskPendingStores()
    private var pending: [Int64: StagedEntry] = [:]
    private var writing: [Int64: StagedEntry] = [:]
    /// The number of pending entries that are not withdrawn; the sums below are of these as well.
    private var entryCount = 0
    private var byteCount = 0
    private var fileCount = 0
    private var fileByteCount = 0
    /// The time at which the first of the pending entries was stored.
    private var began = DiskTime.never

    var isEmpty: Bool { pending.isEmpty && writing.isEmpty }

    /// A Boolean value that indicates whether there may be entries that are not withdrawn.
    var holdsEntries: Bool { entryCount > 0 || !writing.isEmpty }

    /// A Boolean value that indicates whether bodies of entries lie in files that only the index keeps.
    var sharesFiles: Bool { pending.values.contains { $0.borrowedFile != nil } }

    /// Returns the entry of a key.
    func entry(for key: DiskKey) -> StagedEntry? {
        guard let entry = pending[key.id] ?? writing[key.id], key.hasBytes(of: entry.key) else { return nil }
        return entry
    }

    /// Returns the entries whose key is wanted, also those that are being written.
    func entries(where isWanted: (String) -> Bool) -> [StagedEntry] {
        let waiting = pending.values.filter { isWanted($0.key) }
        // The waiting ones last: they replace what is being written.
        return writing.values.filter { isWanted($0.key) } + waiting
    }

    /// Returns a file with a body of this hash and length that is not in the index yet.
    func file(hash: UInt64, size: Int) -> IncomingFile? {
        guard fileCount > 0 || !writing.isEmpty else { return nil }
        func isEqual(_ entry: StagedEntry) -> Bool {
            entry.incomingFile != nil && entry.entry.bodyHash == hash && entry.entry.size == size
        }
        return (pending.values.first(where: isEqual) ?? writing.values.first(where: isEqual))?.incomingFile
    }

    /// Adds the entry of a store, which ends with it. Returns whether it is time to write: 128 entries, 1 MiB, 32
    /// files, 16 MiB of files, or what has waited for a second; nil if the store was overtaken, and nothing was added.
    mutating func add(
        _ entry: StagedEntry,
        for key: DiskKey,
        of store: DiskStore
    ) -> (isDue: Bool, replaced: StagedEntry?)? {
        guard stores.isValid(store) else { return nil }
        stores.end(store)
        stores.revoke(key, before: store.number)
        let time = entry.entry.storedAt
        if entryCount == 0 { began = time }
        count(entry, times: 1)
        let replaced = pending.updateValue(entry, forKey: key.id)
        if let replaced { count(replaced, times: -1) }
        // A clock that was set back does not show how long the first has waited.
        let isOld = time > began.advanced(by: 1_000_000) || began > time.advanced(by: 1_000_000)
        let isMuch = byteCount >= 1 << 20 || fileByteCount >= 1 << 24
        // Each file is open until it is in the index.
        return (entryCount >= 128 || fileCount >= 32 || isMuch || isOld, replaced)
    }

    /// A Boolean value that indicates whether more waits than twice what is written at once.
    var isOverfull: Bool { entryCount >= 256 || fileCount >= 64 || byteCount >= 2 << 20 || fileByteCount >= 2 << 24 }

    private mutating func count(_ entry: StagedEntry, times: Int) {
        if entry.isWithdrawn { return }
        entryCount += times
        byteCount += times * entry.byteCount
        fileByteCount += times * entry.fileByteCount
        if entry.incomingFile != nil { fileCount += times }
    }

    /// Removes the entry of a key if its store is not later than one with this number.
    mutating func remove(for key: DiskKey, notAfter number: UInt64) -> StagedEntry? {
        guard let entry = pending[key.id], key.hasBytes(of: entry.key), entry.number <= number else { return nil }
        return take(key.id)
    }

    /// Ends a store whose entry is in the index: it overtakes those of its key that began before it, and what they
    /// staged.
    mutating func complete(_ store: DiskStore, for key: DiskKey) -> StagedEntry? {
        stores.end(store)
        stores.revoke(key, before: store.number)
        // Of whatever key: two with one hash have one place.
        guard let entry = pending[store.id], entry.number < store.number else { return nil }
        return take(store.id)
    }

    private mutating func take(_ id: Int64) -> StagedEntry? {
        guard let entry = pending.removeValue(forKey: id) else { return nil }
        count(entry, times: -1)
        return entry
    }

    /// Removes the entries whose stores are not later than one with this number.
    mutating func removeAll(notAfter number: UInt64) -> [StagedEntry] {
        let removed = pending.filter { $0.value.number <= number }
        for id in removed.keys { _ = take(id) }
        return Array(removed.values)
    }

    /// Withdraws the entry of a key if its store is not later than one with this number. Returns the entry as it was.
    mutating func withdraw(for key: DiskKey, notAfter number: UInt64) -> StagedEntry? {
        guard let entry = pending[key.id], key.hasBytes(of: entry.key), entry.number <= number else { return nil }
        return withdraw(key.id)
    }

    /// Withdraws an entry, if it is still there. One that is being written stays until it is written.
    mutating func withdraw(_ entry: StagedEntry, for key: DiskKey) -> StagedEntry? {
        pending[key.id]?.number == entry.number ? withdraw(key.id) : nil
    }

    /// Withdraws the entries whose stores are not later than one with this number; default all.
    mutating func withdrawAll(notAfter number: UInt64 = .max) -> [StagedEntry] {
        pending.filter { $0.value.number <= number }.keys.compactMap { withdraw($0) }
    }

    private mutating func withdraw(_ id: Int64) -> StagedEntry? {
        guard let entry = pending[id], !entry.isWithdrawn else { return nil }
        count(entry, times: -1)
        pending[id] = entry.withdrawn
        return entry
    }

    /// The withdrawn entries, by their rows.
    var withdrawn: [Int64: StagedEntry] { pending.filter { $0.value.isWithdrawn } }

    /// Removes withdrawn entries, except those that were replaced since.
    mutating func forget(_ withdrawn: [Int64: StagedEntry]) {
        for (id, entry) in withdrawn where pending[id]?.isWithdrawn == true && pending[id]?.number == entry.number {
            pending[id] = nil
        }
    }

    /// The outcome of replacing the metadata of a staged entry.
    enum MetadataUpdate {
        /// The entry is not here.
        case absent
        /// The entry is another one, or over.
        case refused
        /// The entry has the new metadata; the former is to be freed.
        case updated(StagedEntry, DiskCache.Version)
    }

    /// Replaces the metadata of an entry that is not being written.
    mutating func updateMetadata(
        _ metadata: Data,
        for key: DiskKey,
        _ lifetime: DiskLifetime?,
        replacing version: DiskCache.Version?,
        at now: DiskTime
    ) -> MetadataUpdate {
        guard let earlier = pending[key.id] else { return .absent }
        guard key.hasBytes(of: earlier.key), !earlier.isWithdrawn, earlier.entry.lifetime.expiresAt > now,
            version == nil || version == earlier.entry.version
        else { return .refused }
        let entry = earlier.entry
        let updated = StagedEntry(
            key: earlier.key,
            content: earlier.content,
            entry: NewDiskEntry(
                metadata: metadata,
                size: entry.size,
                bodyHash: entry.bodyHash,
                storedAt: entry.storedAt,
                lifetime: lifetime ?? entry.lifetime,
                basis: entry.basis
            ),
            number: earlier.number
        )
        count(updated, times: 1)
        count(earlier, times: -1)
        pending[key.id] = updated
        return .updated(earlier, updated.entry.version)
    }

    /// Hands over what is pending, in the order of the index's rows.
    mutating func beginWriting() -> [(id: Int64, entry: StagedEntry)] {
        writing = pending
        pending = [:]
        (entryCount, byteCount, fileCount, fileByteCount) = (0, 0, 0, 0)
        return writing.map { (id: $0.key, entry: $0.value) }.sorted { $0.id < $1.id }
    }

    /// The batch is in the index. Returns it.
    mutating func endWriting() -> [Int64: StagedEntry] {
        defer { writing = [:] }
        return writing
    }

    /// The batch could not be written and waits again, except for what was replaced meanwhile, which is returned.
    mutating func abandonWriting() -> [StagedEntry] {
        var replaced: [StagedEntry] = []
        for (id, entry) in writing {
            if pending[id] != nil {
                replaced.append(entry)
            } else {
                pending[id] = entry
                count(entry, times: 1)
            }
        }
        writing = [:]
        return replaced
    }
}

/// The staging under its lock, and whether it is empty, which look-ups ask without taking the lock: threads that read
/// at the same time would take its line of the processor's cache from each other, and nearly always find nothing.
///
/// Its lock may be taken while the connection that writes is held, never the other way round.
final class DiskStagingLock: Sendable {
    private let staging = Lock(DiskStaging())
    /// Written under the lock, after the change. Releasing and acquiring, so that a thread that finds it empty after a
    /// batch was written finds the batch in the index.
    private let isOccupied = Atomic(false)

    var isEmpty: Bool { !isOccupied.load(ordering: .acquiring) }

    func withLock<Result>(_ body: (inout DiskStaging) throws -> Result) rethrows -> Result {
        try staging.withLock { staging in
            defer { isOccupied.store(!staging.isEmpty, ordering: .releasing) }
            return try body(&staging)
        }
    }
}
