internal import CSQLite
internal import FoundationEssentials

/// A compiled statement, made once and run many times. It belongs to one connection and is used by one thread at a
/// time.
///
/// `reset()` must follow each use before anything else is done with the connection, else the read transaction stays
/// open.
final class SQLiteStatement {
    private let statement: OpaquePointer
    private unowned let connection: SQLiteConnection

    init(_ statement: OpaquePointer, of connection: SQLiteConnection) {
        self.statement = statement
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(statement)
    }

    /// Goes to the next row; false when there is none.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.lastError()
        }
    }

    /// Runs a statement that has no rows.
    func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Ends the use and frees what was bound.
    func reset() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(statement, index, value)
    }

    func bind(_ value: Int, at index: Int32) {
        sqlite3_bind_int64(statement, index, Int64(value))
    }

    /// Binds a number, or NULL.
    func bind(_ value: Int64?, at index: Int32) {
        if let value {
            sqlite3_bind_int64(statement, index, value)
        } else {
            sqlite3_bind_null(statement, index)
        }
    }

    /// Binds bytes that must stay where they are until the statement is reset.
    func bind(borrowing bytes: UnsafeRawBufferPointer, at index: Int32) {
        if let address = bytes.baseAddress, !bytes.isEmpty {
            // No destructor: SQLite reads the bytes in place.
            sqlite3_bind_blob64(statement, index, address, UInt64(bytes.count), nil)
        } else {
            // A null pointer would bind NULL.
            sqlite3_bind_zeroblob(statement, index, 0)
        }
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// Lends the bytes of a column.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // In this order: asking for the blob may convert it, and so change its length.
        let address = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return try body(UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : count))
    }

    /// A copy of a column's bytes; nil for NULL.
    func data(_ column: Int32) -> Data? {
        // In this order: asking for the blob may convert it, and so change its length.
        let address = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        // No bytes have no address either.
        guard let address else { return isNull(column) ? nil : Data() }
        return Data(bytes: address, count: count)
    }
}
