internal import HalcyonConcurrency
internal import HalcyonStore

extension ImageCache {
    /// Stores what ``exportImages(to:originalsBeginningWith:)`` wrote, each entry with its date of expiry, in place of what
    /// was known of its original.
    ///
    /// What is being loaded or stored of these originals does not take their place. What is removed, or loaded anew and
    /// stored, while this goes on is not stored by it.
    ///
    /// - Returns: How many entries were stored.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; what comes before a record that is wrong is stored.
    @discardableResult
    public func importImages(from folder: String) async throws -> Int {
        let names = try await disk.perform { try ImportedNames($0.exchangeReader(folder)) }
        let work = ImportWork(names, order)
        defer { work.end() }
        memory.removeAll { names.originals[$0.originalDiskKey] != nil }
        var reader = try await disk.perform { try $0.exchangeReader(folder) }
        var count = 0
        while true {
            let (batch, rest) = try await disk.perform { [reader] disk in
                var reader = reader
                return (try ImportBatch(reading: &reader, for: disk), reader)
            }
            count += try await disk.change { try work.store(batch, in: $0) }
            guard batch.isLast else {
                reader = rest
                continue
            }
            try await disk.change { disk in
                try disk.flush()
                if let error = batch.error { throw error }
            }
            return count
        }
    }
}

/// The name of the original that a name on disk belongs to.
private func originalName(_ diskKey: String) -> String {
    String(diskKey.utf8.prefix { $0 != 0 }) ?? diskKey
}

/// The originals that an export has something of.
private struct ImportedNames: Sendable {
    /// By the name of the original: whether it is there itself, or only what was made of it.
    let originals: [String: Bool]
    /// The most bytes that the names may have, with 64 for each.
    private static let byteLimit = 1 << 28

    init(_ reader: DiskExchangeReader) throws {
        var reader = reader
        var originals: [String: Bool] = [:]
        var byteCount = 0
        while let key = try reader.nextKey() {
            let name = originalName(key)
            if originals[name] == nil { byteCount += name.utf8.count + 64 }
            guard byteCount <= Self.byteLimit else { throw reader.tooManyKeys }
            originals[name] = originals[name] == true || !ParsedDiskKey(key).isProcessed
        }
        self.originals = originals
    }
}

/// Some entries of an export.
private struct ImportBatch: Sendable {
    var entries: [DiskExchangeEntry] = []
    var isLast = false
    /// What is wrong with the record after them; they are then the last.
    var error: DiskCacheError?

    /// Reads at most 64 entries, or a little more than 4 MiB.
    init(reading reader: inout DiskExchangeReader, for disk: DiskCache) throws {
        let limit = try disk.sizeLimitForImport()
        var byteCount = 0
        do throws(DiskCacheError) {
            while entries.count < 64, byteCount < 4 << 20 {
                guard let entry = try reader.next(limit: limit) else {
                    isLast = true
                    return
                }
                byteCount += entry.body.count + entry.metadata.count + entry.key.utf8.count
                entries.append(entry)
            }
        } catch {
            isLast = true
            self.error = error
        }
    }
}

/// An import that goes on. From its beginning, it has a permit for each of its originals, so that whatever is removed
/// afterwards is not stored.
private final class ImportWork: Sendable {
    private let names: ImportedNames
    private let order: StoreOrder
    private let removals: [String: StoreOrder.Removal]
    /// The originals of which what was known before is gone.
    private let replaced = Lock<Set<[UInt8]>>([])

    init(_ names: ImportedNames, _ order: StoreOrder) {
        self.names = names
        self.order = order
        removals = Dictionary(
            uniqueKeysWithValues: names.originals.keys.map { ($0, order.begin(.name($0), from: .all)) }
        )
    }

    /// Notes that all was stored.
    func end() {
        for removal in removals.values { order.end(removal) }
    }

    /// Stores a batch on the thread that changes the disk. Returns how many entries were stored.
    func store(_ batch: ImportBatch, in disk: DiskCache) throws -> Int {
        let admitted = batch.entries.map { ($0, originalName($0.key)) }.filter { isAdmitted($0.1) }
        // Before the first of them is stored: each removal writes down what waits.
        for (_, name) in admitted where names.originals[name] == true {
            guard replaced.withLock({ $0.insert(Array(name.utf8)).inserted }) else { continue }
            try disk.removeEntries(prefix: name + "\0")
        }
        var count = 0
        for (entry, _) in admitted where try disk.store(entry) { count += 1 }
        return count
    }

    private func isAdmitted(_ name: String) -> Bool {
        // One that was not there when the import began: the export was changed since.
        guard let removal = removals[name] else { return false }
        guard let permits = removal.permits else { return false }
        return order.admitsUnchanged(permits)
    }
}
