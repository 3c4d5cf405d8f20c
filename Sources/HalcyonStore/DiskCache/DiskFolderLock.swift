internal import Glibc

/// The lock file of a cache's folder, which keeps other processes from creating or replacing the index meanwhile.
struct DiskFolderLock {
    let layout: DiskLayout
    let fileSystem: any FileSystem
    let patience: DiskPatience

    /// Runs `body` under the lock.
    ///
    /// - Throws: ``SQLiteError`` that means busy if another process holds the lock for longer than is waited, and what
    ///   `body` throws.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = try open()
        defer { fileSystem.close(descriptor) }
        try take(descriptor)
        return try body()
    }

    private func open() throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(layout.lock)
        } catch .exists {
            return try fileSystem.openForReading(layout.lock)
        }
    }

    /// Tries again and again, because `flock` has no time limit: the process that holds the lock may be stopped.
    private func take(_ descriptor: FileDescriptor) throws {
        var left = Int(patience.milliseconds)
        var pause = 1
        while try !fileSystem.lock(descriptor, waits: false) {
            guard left > 0 else {
                patience.exhaust()
                throw SQLiteError.busy("another process keeps the folder locked")
            }
            pause = min(left, pause)
            usleep(UInt32(pause) * 1_000)
            left -= pause
            pause = min(50, 2 * pause)
        }
        patience.restore()
    }
}
