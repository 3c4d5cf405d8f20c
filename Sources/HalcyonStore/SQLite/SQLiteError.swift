internal import CSQLite

/// An error of SQLite.
struct SQLiteError: Error, Sendable, Hashable {
    /// The extended result code.
    let code: Int32
    /// `errno` of the system call that failed, 0 if none did.
    let systemCode: Int32
    /// SQLite's words.
    let message: String

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xff }

    /// The file is no usable database: what it holds is lost.
    var meansDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primaryCode)
    }

    /// Another process holds the lock for longer than the timeout.
    var meansBusy: Bool {
        primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED
    }

    /// Another process holds a lock that is no lock of SQLite's.
    static func busy(_ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_BUSY, systemCode: 0, message: message)
    }
}
