internal import CSQLite
internal import FoundationEssentials
internal import HalcyonSystem

/// The open index of a disk cache: one connection that writes, and as many that read as there are threads reading.
///
/// It stays with the file it opened. When that file is gone, the cache opens another index.
///
/// Unchecked: `writer` is only used under its lock, a reader only by the thread that took it from the pool.
final class DiskIndex: @unchecked Sendable {
    /// The number of the opened file, which no file made later under the same name has while it is open.
    let inode: UInt64
    let device: UInt64
    let path: String
    /// The index's file as it was when it was opened for reading without a log; nil if it was opened otherwise. Nothing
    /// is locked then, so nothing else shows that a process has begun to write.
    let frozen: FileStatus?
    /// The index's file, opened for its status alone.
    private let file: FileDescriptor
    let fileSystem: any FileSystem
    /// The log and the index of the log as they were when this was opened; nil where nothing is logged or written.
    private let log: DiskIndexLog?
    /// The time that a writer waits for other processes.
    let patience: DiskPatience
    /// The time that a reader waits for another process: for one that repairs the log, which is rare.
    let readPatience: DiskPatience
    /// Nil if nothing needs a lock, or nothing may be written.
    let readHold: DiskReadHold?
    let writer: Lock<SQLiteConnection>
    /// In KiB. The default of 2 MB holds 500 small bodies; reading a page that is not held takes a fifth of a look-up.
    let cacheSetting: String
    let idleReaders = DiskReaders()

    /// Opens the index at `path`, or creates it.
    ///
    /// To create it, the caller holds the lock file of the folder, so that no other process creates or replaces it meanwhile.
    ///
    /// - Parameter memoryLimit: the most bytes of pages that each connection keeps.
    init(
        _ path: String,
        busyTimeout: Int,
        pageLimit: Int?,
        memoryLimit: Int,
        fileSystem: any FileSystem,
        isReadOnly: Bool = false,
        creates: Bool = true
    ) throws {
        // The log that a process which still writes it, or was killed, has left beside it must be read as well.
        let leftLog = isReadOnly ? try? fileSystem.status(at: path + "-wal") : nil
        let found = isReadOnly ? try fileSystem.status(at: path) : nil
        frozen = (leftLog?.size ?? 0) == 0 ? found : nil
        self.path = path
        cacheSetting = "PRAGMA cache_size = -\(max(64, memoryLimit >> 10))"
        patience = DiskPatience(busyTimeout)
        readPatience = DiskPatience(busyTimeout)
        let connection = try SQLiteConnection(
            path,
            creates: creates && !isReadOnly,
            busyTimeout: patience.milliseconds,
            isFrozen: frozen != nil
        )
        try DiskIndexSchema.prepare(connection, isReadOnly: isReadOnly, creates: creates)
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

    /// A Boolean value that indicates whether the file still has a name; true if the device fails to answer.
    var isLinked: Bool {
        do throws(FileSystemError) {
            return try fileSystem.status(of: file).linkCount > 0
        } catch {
            return true
        }
    }

    /// Returns whether a file is the one that was opened.
    func isFile(_ status: FileStatus) -> Bool {
        status.inode == inode && status.device == device
    }

    /// Returns whether another process has written the index, whose status is `status` now, although it was opened as
    /// one that no process writes.
    func isOutdated(_ status: FileStatus) -> Bool {
        guard let frozen else { return false }
        if status.size != frozen.size || status.modifiedAt != frozen.modifiedAt { return true }
        let log = try? fileSystem.status(at: path + "-wal")
        return (log?.size ?? 0) > 0
    }

    /// A Boolean value that indicates whether the log still has its name; true if the device fails to answer. One that
    /// was removed beside its index is unknown to other processes, which would begin another.
    var hasLog: Bool { log?.isPresent(fileSystem) ?? true }

    /// Returns whether changes are written to a log beside the index; some file systems do not support that.
    private static func isLogged(_ connection: SQLiteConnection) throws -> Bool {
        let find = try connection.statement("PRAGMA journal_mode")
        defer { find.reset() }
        return try find.step() && find.data(0) == Data("wal".utf8)
    }
}
