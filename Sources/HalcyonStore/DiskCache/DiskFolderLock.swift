internal import Glibc

/// The lock file of a cache's folder, which keeps other processes from creating or replacing the index meanwhile.
struct DiskFolderLock {
    let layout: DiskLayout
    let fileSystem: any FileSystem
    let patience: DiskPatience

    /// Runs `body` under the lock.
    ///
    /// - Throws: ``isTaken`` if another process holds the lock for longer than is waited.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        guard let result = try withLock(within: .max, body) else { throw Self.isTaken }
        return result
    }

    /// Runs `body` under the lock; returns nil if another process holds the lock for longer than these milliseconds, or
    /// than is waited in any case.
    func withLock<Result>(within milliseconds: Int, _ body: () throws -> Result) throws -> Result? {
        let descriptor = try open()
        defer { fileSystem.close(descriptor) }
        return try take(descriptor, within: milliseconds) ? try body() : nil
    }

    /// The error where another process holds the lock, which means busy.
    static let isTaken = SQLiteError.busy("another process keeps the folder locked")

    private func open() throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(layout.lock)
        } catch .exists {
            return try fileSystem.openForReading(layout.lock)
        }
    }

    /// Tries again and again, because `flock` has no time limit: the process that holds the lock may be stopped.
    private func take(_ descriptor: FileDescriptor, within milliseconds: Int) throws -> Bool {
        var left = min(milliseconds, Int(patience.milliseconds))
        var pause = 1
        while try !fileSystem.lock(descriptor, waits: false) {
            guard left > 0 else {
                patience.exhaust()
                return false
            }
            pause = min(left, pause)
            usleep(UInt32(pause) * 1_000)
            left -= pause
            pause = min(50, 2 * pause)
        }
        patience.restore()
        return true
    }
}
