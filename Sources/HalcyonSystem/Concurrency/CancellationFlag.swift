internal import Glibc
internal import Synchronization

/// A flag by which work on a thread of its own finds that no caller waits for it any more.
///
/// Work off Swift's cooperative pool has no `Task.isCancelled` to ask.
package final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    /// A Boolean value that indicates whether ``cancel()`` has been called.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Returns whether the work that runs on the calling thread was cancelled, for calls that are given no flag: `false` where
    /// none has been made current.
    @Sendable
    package static func isCurrentCancelled() -> Bool {
        guard let pointer = pthread_getspecific(key) else { return false }
        return Unmanaged<CancellationFlag>.fromOpaque(pointer).takeUnretainedValue().isCancelled
    }

    /// Runs work on the calling thread with this flag as the current one.
    package func asCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        // The flag lives as long as it is the current one: this call holds it.
        defer { pthread_setspecific(Self.key, outer) }
        return try body()
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "the system has no place for a value of a thread")
        return key
    }()

    /// Asks the work to end.
    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws `CancellationError` once ``cancel()`` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
