internal import CSQLite

/// The tables of the index; `FORMAT.md` says what each column means.
enum DiskIndexSchema {
    /// Set on a new database before its first table.
    static let header = """
        PRAGMA page_size = 4096;
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        """

    /// Bodies have a table of their own, so that changing an entry's times does not rewrite its body, and numbers of
    /// their own, so that a new one goes to the end of the table: in the order of the entries' numbers, which are
    /// hashes, it would go between others and move them, which makes a store take half as long again.
    ///
    /// A use of an entry changes neither of the indexed times, `queued_at` and `due_at`: they are at most as late as
    /// `last_access` and `expires_at`, and a walk over their indices corrects the rows that it meets. Among a million
    /// entries, each index that a use had to change would take as long as the look-up.
    static let tables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            metadata BLOB NOT NULL,
            size INTEGER NOT NULL,
            body_hash INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            file INTEGER,
            body_id INTEGER,
            stored_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            lifetime INTEGER NOT NULL,
            last_access INTEGER NOT NULL,
            queued_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            family INTEGER
        );
        CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE total (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bytes INTEGER NOT NULL,
            inline_count INTEGER NOT NULL,
            file_count INTEGER NOT NULL
        );
        INSERT INTO total VALUES (1, 0, 0, 0);
        CREATE INDEX entry_queued_at ON entry (queued_at);
        CREATE INDEX entry_due_at ON entry (due_at) WHERE due_at < 9223372036854775807;
        CREATE INDEX entry_file ON entry (file) WHERE file IS NOT NULL;
        CREATE INDEX entry_content ON entry (body_hash) WHERE file IS NOT NULL;
        CREATE INDEX entry_family ON entry (family) WHERE family IS NOT NULL;
        """

    /// The times of removals, made in older indexes as well, which do not have it.
    private static let removals = "CREATE TABLE IF NOT EXISTS removal (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)"

    /// Makes the tables of a new index, and sets up a connection that writes.
    ///
    /// - Throws: `SQLiteError` that means damage if the file is an index of another kind or version.
    static func prepare(_ connection: SQLiteConnection, isReadOnly: Bool, creates: Bool) throws {
        let version = try number("PRAGMA user_version", connection)
        if version == 0, creates, !isReadOnly {
            guard try number("SELECT count(*) FROM sqlite_schema", connection) == 0 else { throw foreign }
            try connection.execute(header)
            try connection.transaction {
                try connection.execute(tables)
                try connection.execute("PRAGMA application_id = \(DiskLayout.applicationID)")
                try connection.execute("PRAGMA user_version = \(DiskLayout.version)")
            }
        } else {
            let application = try number("PRAGMA application_id", connection)
            guard version == DiskLayout.version, application == DiskLayout.applicationID else { throw foreign }
        }
        // Four times the default between checkpoints: stores write many of the same pages again and again, so rarer
        // checkpoints copy less, and wait for the device less often.
        let settings =
            isReadOnly
            ? "PRAGMA query_only = ON"
            : """
            PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = 4000;
            PRAGMA journal_size_limit = 16777216;
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = OFF;
            """
        try connection.execute(settings)
        // Without space for it, look-ups go on.
        if !isReadOnly { _ = try? connection.execute(removals) }
        // Finds at once a file that is a database but not this one.
        do {
            guard try number("SELECT count(*) FROM total", connection) == 1 else { throw foreign }
            _ = try number("SELECT count(*) FROM (SELECT family, queued_at FROM entry LIMIT 1)", connection)
        } catch let error as SQLiteError where error.primaryCode == SQLITE_ERROR {
            // No such table or column.
            throw foreign
        }
    }

    private static let foreign = SQLiteError(
        code: SQLITE_NOTADB,
        systemCode: 0,
        message: "the file is an index of another kind or version"
    )

    private static func number(_ text: StaticString, _ connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(text)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }
}
