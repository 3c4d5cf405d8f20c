internal import HalcyonSystem
internal import Synchronization

/// The staging under its lock, and whether it is empty, which look-ups ask without taking the lock: threads that read
/// at the same time would take its line of the processor's cache from each other, and nearly always find nothing.
///
/// Its lock may be taken while the connection that writes is held, never the other way round.
final class DiskStagingLock: Sendable {
    private let staging = Lock(DiskStaging())
    /// Written under the lock, after the change. Releasing and acquiring, so that a thread that finds it empty after a
    /// batch was written finds the batch in the index.
    private let isOccupied = Atomic(false)

    var isEmpty: Bool { !isOccupied.load(ordering: .acquiring) }

    func withLock<Result>(_ body: (inout DiskStaging) throws -> Result) rethrows -> Result {
        try staging.withLock { staging in
            defer { isOccupied.store(!staging.isEmpty, ordering: .releasing) }
            return try body(&staging)
        }
    }
}
