internal import Synchronization

/// The time that calls wait for a lock of another process: that of the configuration, until one call has waited in
/// vain. From then on no call waits, until one has taken the lock again. A process that is stopped in the middle of a
/// change thus delays one call, and not each.
final class DiskPatience: Sendable {
    private let timeout: Int32
    private let isOver = Atomic(false)

    /// - Parameter timeout: In milliseconds.
    init(_ timeout: Int) {
        self.timeout = Int32(clamping: max(0, timeout))
    }

    /// The number of milliseconds that a call may wait now.
    var milliseconds: Int32 { isExhausted ? 0 : timeout }

    /// A Boolean value that indicates whether no call waits.
    var isExhausted: Bool { isOver.load(ordering: .relaxed) }

    /// Notes that a call has waited in vain.
    func exhaust() {
        isOver.store(true, ordering: .relaxed)
    }

    /// Notes that a call has got the lock. Writes nothing if that is nothing new.
    func restore() {
        if isExhausted { isOver.store(false, ordering: .relaxed) }
    }

    /// Runs a call that takes the lock, and records whether it succeeded in that.
    func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            restore()
            return result
        } catch let error as SQLiteError where error.meansBusy {
            exhaust()
            throw error
        }
    }
}
