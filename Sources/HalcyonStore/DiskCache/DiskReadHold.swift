internal import Dispatch
internal import HalcyonSystem

/// Keeps the lock under which SQLite reads the index as it is now, for a moment, so that the look-ups of that moment
/// take it without a system call each: SQLite counts the readers of one process, and asks the system for the first
/// alone. That is a sixth of a look-up.
///
/// A lock is held, not a snapshot: each look-up begins a transaction of its own, and finds all entries stored before
/// it, here or by another process. But a log with a reader cannot be begun anew, so the hold must not stay: it is
/// released before each change made here, 100 ms after the last look-up that asked for it, and while the log is longer
/// than the 16 MB at which others begin it anew.
///
/// Unchecked: the connection in `state` is only used under its lock.
final class DiskReadHold: @unchecked Sendable {
    private let makeConnection: @Sendable () throws -> SQLiteConnection
    private let logSize: @Sendable () -> Int
    private let patience: DispatchTimeInterval
    let state = Lock(State())

    struct State {
        var connection: SQLiteConnection?
        var isHeld = false
        var count = 0
        /// A Boolean value that indicates whether a check is planned that releases a hold that was not renewed.
        var isWatched = false
    }

    /// - Parameters:
    ///   - makeConnection: Opens a connection to the index, at the first hold.
    ///   - logSize: The length of the log in bytes.
    ///   - patience: The time after which a hold that is not renewed is released. Default 100 ms.
    init(
        makeConnection: @escaping @Sendable () throws -> SQLiteConnection,
        logSize: @escaping @Sendable () -> Int,
        patience: DispatchTimeInterval = .milliseconds(100)
    ) {
        self.makeConnection = makeConnection
        self.logSize = logSize
        self.patience = patience
    }

    /// Takes the lock of the index as it is now, in place of an earlier one. If it cannot be taken, look-ups take their
    /// own, which reports the error.
    func renew() {
        let isLong = logSize() > Self.longestLog
        let mustWatch = state.withLock { state in
            release(&state)
            if isLong { return false }
            do {
                let connection = try state.connection ?? makeConnection()
                state.connection = connection
                try connection.statement("BEGIN").run()
                state.isHeld = true
                try connection.statement("SELECT 1 FROM total").run()
            } catch {
                release(&state)
                state.connection = nil
                return false
            }
            state.count &+= 1
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if mustWatch { watch() }
    }

    /// Releases the lock.
    func release() {
        state.withLock { release(&$0) }
    }

    /// Releases the lock, and closes the connection.
    func close() {
        state.withLock { state in
            release(&state)
            state.connection = nil
        }
    }

    private func release(_ state: inout State) {
        guard state.isHeld else { return }
        state.isHeld = false
        do {
            try state.connection?.statement("COMMIT").run()
        } catch {
            // Closing the connection ends its transaction.
            state.connection = nil
        }
    }

    private func watch() {
        let count = count
        Self.queue.asyncAfter(deadline: .now() + patience) { [weak self] in
            guard let self, !releaseUnlessRenewed(since: count) else { return }
            watch()
        }
    }

    /// The number of times that it was renewed.
    var count: Int { state.withLock { $0.count } }

    /// Releases the lock unless it was renewed since it had been `count` times. Returns whether it did.
    func releaseUnlessRenewed(since count: Int) -> Bool {
        state.withLock { state in
            if state.isHeld, state.count != count { return false }
            release(&state)
            state.isWatched = false
            return true
        }
    }

    /// A thread of its own, which calls that block Swift's pool cannot keep waiting.
    private static let queue = DispatchQueue(label: "halcyon.disk-cache.read-hold")

    /// A half more than the 4,000 pages at which the log is copied into the index.
    private static let longestLog = 24_000_000
}
