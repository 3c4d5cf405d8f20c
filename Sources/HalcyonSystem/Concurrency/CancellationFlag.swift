internal import Synchronization

/// A flag by which work on a thread of its own finds that no caller waits for it any more.
///
/// Work off Swift's cooperative pool has no `Task.isCancelled` to ask.
package final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    /// A Boolean value that indicates whether ``cancel()`` has been called.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to end.
    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws `CancellationError` once ``cancel()`` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
