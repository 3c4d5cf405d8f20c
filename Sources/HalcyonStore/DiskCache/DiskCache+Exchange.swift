internal import FoundationEssentials

extension DiskCache {
    /// Copies entries into a new folder that ``importEntries(from:)`` reads, on this machine or another. `EXCHANGE.md`
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
            var manifest = Data(ExchangeRecord.header.utf8)
            var count = 0
            for entry in listing.reversed() {
                guard let found = get(entry.key, extending: .none) else { continue }
                count += 1
                let record = ExchangeRecord(number: count, key: entry.key, found)
                try writeFile("\(folder)/\(record.file)", found.body)
                manifest += try record.line()
            }
            try writeFile("\(folder)/\(ExchangeRecord.manifest)", manifest)
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
    /// - Returns: the number of entries stored. Those that are over, or larger than the limit, are not.
    /// - Throws: ``DiskCacheError`` at the first record that is wrong; the entries before it are stored.
    @discardableResult
    public func importEntries(from folder: String) throws(DiskCacheError) -> Int {
        try failing(.write) {
            let path = "\(folder)/\(ExchangeRecord.manifest)"
            let manifest = try contents(path, limit: 1 << 28)
            let header = Data(ExchangeRecord.header.utf8)
            guard manifest.starts(with: header) else { throw foreign(path, "it is no manifest of a cache") }
            var count = 0
            for (number, line) in manifest.dropFirst(header.count).split(separator: 10).enumerated() {
                let record: ExchangeRecord
                do {
                    record = try ExchangeRecord(line: Data(line), number: number + 1)
                } catch {
                    throw foreign(path, "record \(number + 1) is wrong: \(error)")
                }
                let bodyPath = "\(folder)/\(record.file)"
                guard record.size <= (try resolvedLimits().bytes) else { continue }
                let body = try contents(bodyPath, limit: record.size)
                guard record.matches(body) else { throw foreign(bodyPath, "it is not what was exported") }
                let expiration = record.expiresAt.map { Expiration.date(Date(timeIntervalSince1970: $0)) } ?? .never
                if try put(record.key, body: body, metadata: record.metadata, expiration: expiration, durability: .none)
                {
                    count += 1
                }
            }
            try flush()
            return count
        }
    }

    private func foreign(_ path: String, _ reason: String) -> DiskCacheError {
        DiskCacheError(.write, path: path, reason: reason)
    }

    private func writeFile(_ path: String, _ bytes: Data) throws {
        let descriptor = try fileSystem.create(path)
        defer { fileSystem.close(descriptor) }
        try bytes.withUnsafeBytes { try fileSystem.writeAll(descriptor, from: $0) }
        try fileSystem.synchronize(descriptor)
    }

    /// The bytes of a regular file of at most `limit` bytes.
    private func contents(_ path: String, limit: Int) throws -> Data {
        let descriptor = try fileSystem.openForReading(path)
        defer { fileSystem.close(descriptor) }
        let status = try fileSystem.status(of: descriptor)
        guard status.kind == .file, status.size <= limit else { throw foreign(path, "it is no file of that length") }
        var bytes = Data(count: status.size)
        let count = try bytes.withUnsafeMutableBytes { try fileSystem.readAll(descriptor, into: $0, at: 0) }
        guard count == status.size else { throw foreign(path, "it was cut short") }
        return bytes
    }
}

/// A line of the manifest.
struct ExchangeRecord: Codable {
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
