internal import HalcyonSystem

extension DiskIndex {
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

    /// Throws if the log has more than `limit` bytes, and cannot be begun anew because another process still reads what it
    /// replaces: that of a process that is stopped would grow with every store.
    ///
    /// - Throws: ``SQLiteError`` that means busy.
    func checkLog(limit: Int) throws {
        func isLong() -> Bool { (try? fileSystem.status(at: path + "-wal").size) ?? 0 > limit }
        guard isLong() else { return }
        try withWriter { connection in
            connection.setBusyTimeout(0)
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        if isLong() { throw SQLiteError.busy("another process, which may be stopped, keeps the log of the index") }
    }

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
