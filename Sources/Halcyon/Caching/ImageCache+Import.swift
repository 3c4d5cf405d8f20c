internal import HalcyonConcurrency
internal import HalcyonStore

extension ImageCache {
    /// Stores the entries that ``exportImages(to:originalsBeginningWith:)`` wrote, each with its expiration date, in
    /// place of what the cache has of their originals.
    ///
    /// Images of these originals that are being loaded or stored do not replace them. An image that is removed, or
    /// loaded again and stored, during the import is not stored by it.
    ///
    /// - Returns: The number of entries stored.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; the entries before an invalid record are
    ///   stored.
    @discardableResult
    public func importImages(from folder: String) async throws -> Int {
        let names = try await disk.perform { try ImportedNames($0.exportReader(folder)) }
        let work = ImportWork(names, order)
        defer { work.end() }
        memory.removeAll { names.originals[ExactString($0.originalDiskKey)] != nil }
        var reader = try await disk.perform { try $0.exportReader(folder) }
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

/// Returns the name of the original that a name on disk belongs to.
private func originalName(_ diskKey: String) -> ExactString {
    ExactString(String(diskKey.utf8.prefix { $0 != 0 }) ?? diskKey)
}

/// The originals of which an export has entries.
private struct ImportedNames: Sendable {
    /// By the name of the original: `true` if the export has the original itself, `false` if only what was made of it.
    let originals: [ExactString: Bool]
    /// The maximum number of bytes of the names, with 64 added for each.
    private static let byteLimit = 1 << 28

    init(_ reader: DiskExportReader) throws {
        var reader = reader
        var originals: [ExactString: Bool] = [:]
        var byteCount = 0
        while let key = try reader.nextKey() {
            let name = originalName(key)
            if originals[name] == nil { byteCount += name.text.utf8.count + 64 }
            guard byteCount <= Self.byteLimit else { throw reader.tooManyKeys }
            originals[name] = originals[name] == true || !ParsedDiskKey(key).isProcessed
        }
        self.originals = originals
    }
}

/// Some entries of an export.
private struct ImportBatch: Sendable {
    var entries: [DiskExportEntry] = []
    var isLast = false
    /// The error in the record after the entries, which are then the last.
    var error: DiskCacheError?

    /// Reads at most 64 entries, or a little more than 4 MiB.
    init(reading reader: inout DiskExportReader, for disk: DiskCache) throws {
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

/// An import under way. From its beginning, it has a permit for each of its originals, so that an original that is
/// removed afterwards is not stored.
private final class ImportWork: Sendable {
    private let names: ImportedNames
    private let order: StoreOrder
    private let removals: [ExactString: StoreOrder.Removal]
    /// The originals whose earlier entries have been removed.
    private let replaced = Lock<Set<ExactString>>([])

    init(_ names: ImportedNames, _ order: StoreOrder) {
        self.names = names
        self.order = order
        removals = Dictionary(
            uniqueKeysWithValues: names.originals.keys.map { ($0, order.begin(.name($0.text), from: .all)) }
        )
    }

    /// Notes that the import has ended.
    func end() {
        for removal in removals.values { order.end(removal) }
    }

    /// Stores a batch on the thread that changes the disk, and returns the number of entries stored.
    func store(_ batch: ImportBatch, in disk: DiskCache) throws -> Int {
        let admitted = batch.entries.map { ($0, originalName($0.key)) }.filter { isAdmitted($0.1) }
        // Before the first of them is stored: each removal writes the waiting entries to disk.
        for (_, name) in admitted where names.originals[name] == true {
            guard replaced.withLock({ $0.insert(name).inserted }) else { continue }
            try disk.removeEntries(prefix: name.text + "\0")
        }
        var count = 0
        for (entry, _) in admitted where try disk.store(entry) { count += 1 }
        return count
    }

    private func isAdmitted(_ name: ExactString) -> Bool {
        // The name was not in the export when the import began: the export was changed since.
        guard let removal = removals[name] else { return false }
        guard let permits = removal.permits else { return false }
        return order.admitsUnchanged(permits)
    }
}
