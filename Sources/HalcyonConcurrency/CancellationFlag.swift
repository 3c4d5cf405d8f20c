internal import Synchronization

/// Tells work on a thread of its own that nobody waits for it any more.
///
/// Work off Swift's cooperative pool has no `Task.isCancelled` to ask.
package final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    /// Whether ``cancel()`` has been called.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to end.
    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws `CancellationError` once ``cancel()`` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
