/// The tables of the index; `FORMAT.md` says what each column means.
enum DiskIndexSchema {
    /// Set on a new database before its first table.
    static let header = """
        PRAGMA page_size = 4096;
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        """

    /// Bodies have a table of their own, so that changing an entry's times does not rewrite its body, and numbers of
    /// their own, so that a new one goes to the end of the table: in the order of the entries' numbers, which are hashes,
    /// it would go between others and move them, which makes a store take half as long again.
    ///
    /// A use of an entry changes neither of the indexed times, `queued_at` and `due_at`: they are at most as late as
    /// `last_access` and `expires_at`, and whoever walks their indices corrects what he meets. Among a million entries,
    /// each index that a use had to change would take as long as the look-up.
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
}
