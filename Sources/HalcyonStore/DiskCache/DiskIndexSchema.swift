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
    /// it would go between others and move them, which makes a put take half as long again.
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
            last_access INTEGER NOT NULL
        );
        CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE total (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bytes INTEGER NOT NULL,
            inline_count INTEGER NOT NULL,
            file_count INTEGER NOT NULL
        );
        INSERT INTO total VALUES (1, 0, 0, 0);
        CREATE INDEX entry_last_access ON entry (last_access);
        CREATE INDEX entry_expires_at ON entry (expires_at);
        CREATE INDEX entry_file ON entry (file) WHERE file IS NOT NULL;
        CREATE INDEX entry_content ON entry (body_hash, size) WHERE file IS NOT NULL;
        CREATE INDEX entry_key ON entry (key);
        """

    /// Keep the totals in the transaction that changes an entry, whatever changes it.
    static let triggers = """
        CREATE TRIGGER entry_inserted AFTER INSERT ON entry BEGIN
            UPDATE total SET
                bytes = bytes + NEW.size + length(NEW.key) + length(NEW.metadata),
                inline_count = inline_count + (NEW.file IS NULL),
                file_count = file_count + (NEW.file IS NOT NULL);
        END;
        CREATE TRIGGER entry_replaced AFTER UPDATE OF key, metadata, size, file ON entry BEGIN
            UPDATE total SET
                bytes = bytes + NEW.size + length(NEW.key) + length(NEW.metadata)
                    - OLD.size - length(OLD.key) - length(OLD.metadata),
                inline_count = inline_count + (NEW.file IS NULL) - (OLD.file IS NULL),
                file_count = file_count + (NEW.file IS NOT NULL) - (OLD.file IS NOT NULL);
        END;
        CREATE TRIGGER entry_deleted AFTER DELETE ON entry BEGIN
            UPDATE total SET
                bytes = bytes - OLD.size - length(OLD.key) - length(OLD.metadata),
                inline_count = inline_count - (OLD.file IS NULL),
                file_count = file_count - (OLD.file IS NOT NULL);
            DELETE FROM body WHERE id = OLD.body_id;
        END;
        """

    static let dropTriggers =
        "DROP TRIGGER entry_inserted; DROP TRIGGER entry_replaced; DROP TRIGGER entry_deleted;"
}
