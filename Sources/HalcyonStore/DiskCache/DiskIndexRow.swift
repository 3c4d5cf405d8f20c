internal import FoundationEssentials

/// An entry as the index holds it.
struct DiskIndexRow {
    let id: Int64
    let key: String
    let metadata: Data
    let size: Int
    let checksum: Int64
    /// The number of the file that holds the body; nil if it lies in the index.
    let file: Int64?
    let storedAt: DiskTime
    let expiresAt: DiskTime
    let lifetime: Int64
    let lastAccess: DiskTime
    /// The body if it lies in the index; nil if it is missing there.
    let inlineBody: Data?

    var version: DiskCache.Version { DiskCache.Version(storedAt: storedAt, checksum: checksum) }

    /// The columns from `first` on, in the order of ``find(_:in:)``.
    private init(_ statement: SQLiteStatement, id: Int64, key: String, first: Int32 = 0) {
        self.id = id
        self.key = key
        metadata = statement.data(first) ?? Data()
        size = statement.count(first + 1)
        checksum = statement.integer(first + 2)
        storedAt = DiskTime(microseconds: statement.integer(first + 3))
        expiresAt = DiskTime(microseconds: statement.integer(first + 4))
        lifetime = statement.integer(first + 5)
        lastAccess = DiskTime(microseconds: statement.integer(first + 6))
        file = statement.isNull(first + 7) ? nil : statement.integer(first + 7)
        inlineBody = file == nil ? statement.data(first + 8) : nil
    }

    /// The row of an entry that is not in the index yet.
    init(id: Int64, key: String, body: Data?, file: Int64?, entry: NewDiskEntry) {
        self.id = id
        self.key = key
        metadata = entry.metadata
        size = entry.size
        checksum = entry.checksum
        self.file = file
        storedAt = entry.storedAt
        expiresAt = entry.lifetime.expiresAt
        lifetime = entry.lifetime.duration
        lastAccess = entry.storedAt
        inlineBody = body
    }
}

extension DiskIndexRow {
    /// The row of a key; nil if there is none, or if its place is taken by another key with the same hash.
    static func find(_ key: DiskKey, in connection: SQLiteConnection) throws -> DiskIndexRow? {
        // A join, because SQLite copies what a nested selection has found; a file has no `body_id`, and so costs
        // nothing.
        let statement = try connection.statement(
            """
            SELECT metadata, size, checksum, stored_at, expires_at, lifetime, last_access, file, bytes
            FROM entry LEFT JOIN body ON body.id = body_id WHERE entry.id = ?1 AND key = ?2
            """
        )
        defer { statement.reset() }
        statement.bind(key.id, at: 1)
        // Compared there, because SQLite allocates memory for each result that has bytes, under a lock of the process.
        statement.bind(borrowing: key.bytes, at: 2)
        guard try statement.step() else { return nil }
        return DiskIndexRow(statement, id: key.id, key: key.text)
    }

    /// The next rows in the order of their numbers, after `id`.
    static func batch(after id: Int64?, count: Int, in connection: SQLiteConnection) throws -> [DiskIndexRow] {
        let statement = try connection.statement(
            """
            SELECT e.id, e.key, e.metadata, e.size, e.checksum, e.stored_at, e.expires_at, e.lifetime, e.last_access,
                e.file, b.bytes
            FROM entry e LEFT JOIN body b ON b.id = e.body_id
            WHERE ?1 IS NULL OR e.id > ?1 ORDER BY e.id LIMIT ?2
            """
        )
        defer { statement.reset() }
        statement.bind(id, at: 1)
        statement.bind(count, at: 2)
        var rows: [DiskIndexRow] = []
        while try statement.step() {
            let key = statement.withBytes(1) { String(decoding: $0, as: UTF8.self) }
            rows.append(DiskIndexRow(statement, id: statement.integer(0), key: key, first: 2))
        }
        return rows
    }
}
