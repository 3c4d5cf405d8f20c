internal import FoundationEssentials

extension DiskCache {
    /// Copies entries into a new folder that ``importEntries(from:)`` reads, on this machine or another. `EXPORT.md`
    /// describes its form. Expired entries are left out.
    ///
    /// - Parameters:
    ///   - folder: an absolute path where nothing is. The manifest is written last: a folder without one is incomplete.
    ///   - prefix: only entries whose keys begin with it; default all.
    /// - Returns: the number of entries copied.
    @discardableResult
    public func exportEntries(to folder: String, prefix: String = "") throws(DiskCacheError) -> Int {
        try failing(.maintain) {
            let listing = try entries(prefix: prefix)
            try fileSystem.createFolder(folder)
            var manifest = Data(ExportRecord.header.utf8)
            var count = 0
            for listed in listing.reversed() {
                guard let found = entry(for: listed.key, extending: .none) else { continue }
                count += 1
                let record = ExportRecord(number: count, key: listed.key, found)
                try writeFile("\(folder)/\(record.file)", found.body)
                manifest += try record.line()
            }
            try writeFile("\(folder)/\(ExportRecord.manifest)", manifest)
            try fileSystem.synchronizeFolder(folder)
            return count
        }
    }

    /// Stores the entries of a folder that ``exportEntries(to:prefix:)`` wrote, in place of those with their keys. Each
    /// keeps its date of expiry.
    ///
    /// Nothing of the folder is trusted: a file is only ever looked for by its number, links are not followed, and
    /// lengths and checksums must agree.
    ///
    /// - Returns: the number of entries stored. Those that are over, or larger than the limit or 1 GiB, or whose keys
    ///   have more than 64 KiB, are not.
    /// - Throws: ``DiskCacheError`` at the first record that is wrong; the entries before it are stored.
    @discardableResult
    public func importEntries(from folder: String) throws(DiskCacheError) -> Int {
        var reader = try exportReader(folder)
        var count = 0
        while let entry = try reader.next(limit: sizeLimitForImport()) {
            if try store(entry) { count += 1 }
        }
        try flush()
        return count
    }

    /// Begins to read a folder that ``exportEntries(to:prefix:)`` wrote.
    package func exportReader(_ folder: String) throws(DiskCacheError) -> DiskExportReader {
        try failing(.write) { try DiskExportReader(folder, fileSystem) }
    }

    /// Stores an entry of another cache's folder. ``flush()`` writes it down.
    ///
    /// - Returns: whether it was stored.
    package func store(_ entry: DiskExportEntry) throws(DiskCacheError) -> Bool {
        try store(
            entry.body,
            for: entry.key,
            metadata: entry.metadata,
            expiration: entry.expiration,
            durability: .none
        )
    }

    /// Returns the length beyond which an entry is not read: what the cache may hold, and at most 1 GiB, the most
    /// memory that is taken for a body that nothing vouches for.
    package func sizeLimitForImport() throws(DiskCacheError) -> Int {
        try failing(.write) { try min(resolvedLimits().bytes, 1 << 30) }
    }

    private func writeFile(_ path: String, _ bytes: Data) throws {
        let descriptor = try fileSystem.create(path)
        defer { fileSystem.close(descriptor) }
        try bytes.withUnsafeBytes { try fileSystem.writeAll(descriptor, from: $0) }
        try fileSystem.synchronize(descriptor)
    }
}

/// A line of the manifest.
struct ExportRecord: Codable {
    static let manifest = "manifest.jsonl"
    static let header = "{\"format\":\"halcyon-cache-export\",\"version\":1}\n"

    let number: Int
    let key: String
    let size: Int
    /// As in the index: of the metadata, seeded with that of the body.
    let checksum: Int64
    let metadata: Data
    /// Seconds since 1970; nil is never.
    let expiresAt: Double?

    /// The bytes of the longest line that is read: keys and metadata are small, and nothing of a line is trusted.
    static let lineLimit = 1 << 24

    /// The bytes of the longest key that is taken over. Those of many entries may be held at a time.
    static let keyLimit = 1 << 16

    struct WrongNumber: Error {}

    init(number: Int, key: String, _ entry: DiskCache.Entry) {
        self.number = number
        self.key = key
        size = entry.body.count
        metadata = entry.metadata
        checksum = Checksum.entry(body: Checksum.hash(of: entry.body), metadata: entry.metadata)
        expiresAt = entry.expiresAt?.timeIntervalSince1970
    }

    /// Reads a line that must be the one with this number.
    init(line: Data, number: Int) throws {
        self = try JSONDecoder().decode(Self.self, from: line)
        guard self.number == number, size >= 0 else { throw WrongNumber() }
    }

    /// The name of the file that holds the body. Only digits of a number that the reader counts itself.
    var file: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits + ".body"
    }

    func line() throws -> Data {
        try JSONEncoder().encode(self) + [10]
    }

    func matches(_ body: Data) -> Bool {
        body.count == size && Checksum.entry(body: Checksum.hash(of: body), metadata: metadata) == checksum
    }
}
