internal import CSQLite
internal import FoundationEssentials
internal import HalcyonConcurrency

/// The open index of a disk cache: one connection that writes, and as many that read as there are threads reading.
///
/// It stays with the file it opened. When that file is gone, the cache opens another index.
///
/// Unchecked: `writer` is only used under its lock, a reader only by the thread that took it from the pool.
final class DiskIndex: @unchecked Sendable {
    /// Tells the opened file from one made later under the same name; its number is not reused while it is open.
    let inode: UInt64
    let device: UInt64
    private let path: String
    private let isReadOnly: Bool
    /// The index's file as it was when it was opened for reading without a log; nil if it was opened otherwise. Nothing is
    /// locked then, so nothing else tells that a process has begun to write.
    private let frozen: FileStatus?
    /// The index's file, opened for its status alone.
    private let file: FileDescriptor
    private let fileSystem: any FileSystem
    /// The log and the index of the log as they were when this was opened; nil where nothing is logged or written.
    private let log: DiskIndexLog?
    /// How long who writes waits for other processes.
    let patience: DiskPatience
    /// How long who reads does: for one that repairs the log, which is rare.
    private let readPatience: DiskPatience
    /// Nil if nothing needs a lock, or nothing may be written.
    let readHold: DiskReadHold?
    private let writer: Lock<SQLiteConnection>
    /// In KiB. The default of 2 MB holds 500 small bodies; reading a page that is not held takes a fifth of a look-up.
    private let cacheSetting: String
    private let idleReaders = DiskReaders()

    /// Opens the index at `path`, or creates it.
    ///
    /// The caller holds the lock file of the folder, so that no other process creates or replaces it meanwhile.
    ///
    /// - Parameters:
    ///   - memoryLimit: the most bytes of pages that each connection keeps.
    ///   - isReadOnly: whether nothing is created or changed.
    init(
        _ path: String,
        busyTimeout: Int,
        pageLimit: Int?,
        memoryLimit: Int,
        fileSystem: any FileSystem,
        isReadOnly: Bool = false
    ) throws {
        self.isReadOnly = isReadOnly
        // What a process that still writes it, or that was killed, has left beside it must be read as well.
        let leftLog = isReadOnly ? try? fileSystem.status(at: path + "-wal") : nil
        let found = isReadOnly ? try fileSystem.status(at: path) : nil
        frozen = (leftLog?.size ?? 0) == 0 ? found : nil
        self.path = path
        cacheSetting = "PRAGMA cache_size = -\(max(64, memoryLimit >> 10))"
        patience = DiskPatience(busyTimeout)
        readPatience = DiskPatience(busyTimeout)
        let connection = try SQLiteConnection(
            path,
            creates: !isReadOnly,
            busyTimeout: patience.milliseconds,
            isFrozen: frozen != nil
        )
        try Self.prepare(connection, isReadOnly: isReadOnly)
        try connection.execute(cacheSetting)
        if let pageLimit, !isReadOnly {
            try connection.execute("PRAGMA max_page_count = \(pageLimit)")
        }
        log = try isReadOnly || !Self.isLogged(connection) ? nil : DiskIndexLog(of: path, fileSystem)
        let file = try fileSystem.openForStatus(path)
        let status: FileStatus
        do {
            status = try fileSystem.status(of: file)
        } catch {
            fileSystem.close(file)
            throw error
        }
        self.file = file
        self.fileSystem = fileSystem
        inode = status.inode
        device = status.device
        readHold =
            isReadOnly
            ? nil
            : DiskReadHold(
                makeConnection: { try SQLiteConnection(path, creates: false, busyTimeout: 0) },
                logSize: { (try? fileSystem.status(at: path + "-wal").size) ?? 0 }
            )
        writer = Lock(connection)
    }

    deinit {
        // It may be in use for a moment longer, and must not keep the index open.
        readHold?.close()
        fileSystem.close(file)
    }

    /// Whether the file still has a name. A device that fails to tell does not mean that it has none.
    var isLinked: Bool {
        do throws(FileSystemError) {
            return try fileSystem.status(of: file).linkCount > 0
        } catch {
            return true
        }
    }

    /// Whether a file is the one that was opened.
    func isFile(_ status: FileStatus) -> Bool {
        status.inode == inode && status.device == device
    }

    /// Whether another process has written the index, as `status` shows it now, although it was opened as one that none does.
    func isOutdated(_ status: FileStatus) -> Bool {
        guard let frozen else { return false }
        if status.size != frozen.size || status.modifiedAt != frozen.modifiedAt { return true }
        let log = try? fileSystem.status(at: path + "-wal")
        return (log?.size ?? 0) > 0
    }

    /// Whether the log still has its name: one that was removed beside its index is unknown to other processes, which
    /// would begin another. A device that fails to tell does not mean that it has none.
    var hasLog: Bool { log?.isPresent(fileSystem) ?? true }

    /// Whether changes go to a log beside the index; some file systems do not have what that takes.
    private static func isLogged(_ connection: SQLiteConnection) throws -> Bool {
        let find = try connection.statement("PRAGMA journal_mode")
        defer { find.reset() }
        return try find.step() && find.data(0) == Data("wal".utf8)
    }

    private static func prepare(_ connection: SQLiteConnection, isReadOnly: Bool) throws {
        let version = try number("PRAGMA user_version", connection)
        if version == 0, !isReadOnly {
            guard try number("SELECT count(*) FROM sqlite_schema", connection) == 0 else { throw foreign }
            try connection.execute(DiskIndexSchema.header)
            try connection.transaction {
                try connection.execute(DiskIndexSchema.tables)
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

    /// Lends a connection for reading. Never waits for a writer, nor for another reader.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try idleReaders.take() ?? makeReader()
        let isImpatient = readPatience.isExhausted
        if isImpatient { connection.setBusyTimeout(0) }
        let result = try readPatience.noting { try body(connection) }
        if isImpatient { connection.setBusyTimeout(readPatience.milliseconds) }
        // A connection that met an error is closed instead.
        idleReaders.putBack(connection)
        return result
    }

    private func makeReader() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path,
            creates: false,
            busyTimeout: readPatience.milliseconds,
            isFrozen: frozen != nil
        )
        try connection.execute(cacheSetting)
        return connection
    }

    /// Lends the connection that writes, in a transaction.
    ///
    /// - Parameters:
    ///   - isDurable: whether the transaction is on the device when this returns.
    ///   - whenCommitted: what is done between the commit and the next writer's turn.
    func write<Result>(
        isDurable: Bool = false,
        _ body: (SQLiteConnection) throws -> Result,
        whenCommitted: () -> Void = {}
    ) throws -> Result {
        try withWriter { connection in
            if isDurable { try connection.execute("PRAGMA synchronous = FULL") }
            defer {
                if isDurable { try? connection.execute("PRAGMA synchronous = NORMAL") }
            }
            let result = try connection.transaction { try body(connection) }
            patience.restore()
            whenCommitted()
            return result
        }
    }

    /// Lends the connection that writes, for statements that cannot run in a transaction, or for a transaction of the
    /// caller's, which is to restore ``patience``.
    func withWriter<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        // A log that is read cannot be begun anew, and that happens at the start of a transaction.
        readHold?.release()
        return try writer.withLock { connection in
            connection.setBusyTimeout(patience.milliseconds)
            do {
                return try body(connection)
            } catch let error as SQLiteError where error.meansBusy {
                patience.exhaust()
                throw error
            }
        }
    }

    /// Whether no thread has the connection that writes. For tests.
    var isWriterFree: Bool { writer.withLockIfAvailable { _ in true } ?? false }

    /// Lends the connection that writes, in a transaction, if neither another thread nor another process is writing.
    /// Returns nil if one is: nothing was done, and nothing was waited for.
    func writeWithoutWaiting<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result? {
        try writer.withLockIfAvailable { connection in
            readHold?.release()
            connection.setBusyTimeout(0)
            do {
                let result = try connection.transaction { try body(connection) }
                patience.restore()
                return result
            } catch let error as SQLiteError where error.meansBusy {
                return nil
            }
        } ?? nil
    }
}
