internal import CSQLite
internal import HalcyonSystem

/// A connection to an SQLite database, with its compiled statements. Used by one thread at a time.
///
/// The C API and not GRDB: a read through GRDB's pool takes 15 µs, of which SQLite needs three, and the budget for a
/// disk hit of 4 kB, one and a half times reading a file, is six.
final class SQLiteConnection {
    private let database: OpaquePointer
    /// By the address of their text, which costs no hashing of the text.
    @exclusivity(unchecked)  // As the next: used by one thread at a time, and for a moment.
    private var statements: [UInt: SQLiteStatement] = [:]
    /// A connection that reads runs the same statement nearly always.
    @exclusivity(unchecked)
    private var latest: (address: UInt, statement: SQLiteStatement)?

    /// Opens the database at `path`, and creates it if `creates`.
    ///
    /// - Parameter isFrozen: true if it is read only, and no process writes it meanwhile: no lock is taken, and no file
    ///   is made beside it.
    init(_ path: String, creates: Bool, busyTimeout: Int32, isFrozen: Bool = false) throws(SQLiteError) {
        var handle: OpaquePointer?
        let path = isFrozen ? Self.frozenAddress(of: path) : path
        let flags =
            (isFrozen ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
            | (creates ? SQLITE_OPEN_CREATE : 0)
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            let error = SQLiteError(
                code: result,
                systemCode: handle.map { sqlite3_system_errno($0) } ?? 0,
                message: String(cString: sqlite3_errstr(result))
            )
            sqlite3_close_v2(handle)
            throw error
        }
        database = handle
        sqlite3_busy_timeout(database, busyTimeout)
    }

    /// The address of a database that no process writes (https://www.sqlite.org/uri.html, `immutable`).
    private static func frozenAddress(of path: String) -> String {
        let special = "%?#".utf8
        return
            "file:\(PercentEncoding.encoded(path) { (0x21...0x7E).contains($0) && !special.contains($0) })?immutable=1"
    }

    deinit {
        latest = nil
        statements = [:]
        sqlite3_close_v2(database)
    }

    /// Sets the time that a statement waits for the lock of another connection, in milliseconds.
    func setBusyTimeout(_ milliseconds: Int32) {
        sqlite3_busy_timeout(database, milliseconds)
    }

    /// A Boolean value that indicates whether a transaction is open.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(database) == 0
    }

    /// The number of rows the last statement changed.
    var changeCount: Int {
        Int(sqlite3_changes(database))
    }

    /// The number of the row that was last inserted.
    var lastInsertedRow: Int64 {
        sqlite3_last_insert_rowid(database)
    }

    /// Runs statements that are needed once.
    func execute(_ text: String) throws(SQLiteError) {
        if sqlite3_exec(database, text, nil, nil, nil) != SQLITE_OK { throw lastError() }
    }

    /// The compiled form of a statement, made at its first use.
    func statement(_ text: StaticString) throws(SQLiteError) -> SQLiteStatement {
        let address = UInt(bitPattern: text.utf8Start)
        if let latest, latest.address == address { return latest.statement }
        let statement: SQLiteStatement
        if let present = statements[address] {
            statement = present
        } else {
            statement = try compile(text)
            statements[address] = statement
        }
        latest = (address, statement)
        return statement
    }

    private func compile(_ text: StaticString) throws(SQLiteError) -> SQLiteStatement {
        var compiled: OpaquePointer?
        let result = text.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_prepare_v3(
                    database,
                    characters.baseAddress,
                    Int32(characters.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT),
                    &compiled,
                    nil
                )
            }
        }
        guard result == SQLITE_OK, let compiled else { throw lastError() }
        return SQLiteStatement(compiled, of: self)
    }

    /// Runs `body` in one transaction that takes the write lock at its start, and rolls back if it throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("BEGIN IMMEDIATE").run()
        do {
            let result = try body()
            try statement("COMMIT").run()
            return result
        } catch {
            // SQLite has rolled back by itself after some errors, such as a full disk.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    func lastError() -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(database),
            systemCode: sqlite3_system_errno(database),
            message: String(cString: sqlite3_errmsg(database))
        )
    }
}
