#if HALCYON_PTHREAD_LOCK
internal import Glibc
#else
public import Synchronization
#endif

/// The one lock of the project: it owns a value and lends it to one thread at a time.
///
/// It is `Synchronization.Mutex`, except in builds with `HALCYON_PTHREAD_LOCK`, where it is a pthread mutex, because
/// ThreadSanitizer does not see the futex operations of `Mutex` and reports false races.
///
/// The lock is not recursive. Never call out to code of a user while holding it, which includes the last release of a
/// value of theirs, never resume a continuation, and never let a reference to the protected state out of the closure.
///
/// Locks are taken one at a time, with two exceptions, both in the memory cache: while it holds the lock of its changes, it
/// takes that of one shard after the other, and it asks `ContentOrder`. Under either nothing else is locked. A priority
/// (`PriorityBox`) is atomic, so that it can be read and set under the lock of what depends on it.
///
/// It is inlinable, because a closure passed to generic code that is not specialised takes longer than the lock; also
/// outside the package, where programs specialise `MemoryCache` for their keys.
///
/// A class, not a noncopyable struct around `Mutex<State>`: the compiler (6.3.1) crashes on the latter when `State`
/// holds closures. Unchecked: the state is only touched while the mutex is held.
@usableFromInline
package final class Lock<State>: @unchecked Sendable {
    #if HALCYON_PTHREAD_LOCK
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    #endif

    // The mutex already excludes what the dynamic check would look for, and the check would double a short access.
    #if HALCYON_PTHREAD_LOCK
    @exclusivity(unchecked)
    @usableFromInline
    package var content: Content

    /// A state beside a byte that is never read. A property of no bytes has the address of the object, whose type is read
    /// without the lock, and ThreadSanitizer would take an access to the one for an access to the other.
    @usableFromInline
    package struct Content {
        @usableFromInline
        package var state: State
        private let padding: UInt8 = 0

        fileprivate init(_ state: State) {
            self.state = state
        }
    }

    package init(_ state: State) {
        content = Content(state)
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the protected value.
    @inlinable
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&content.state)
    }

    /// Takes the lock, for code that cannot pass a closure. ``unlock()`` must follow on the same thread.
    @usableFromInline
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    private func lockIfAvailable() -> Bool {
        pthread_mutex_trylock(mutex) == 0
    }

    /// Ends what ``lock()`` began.
    @usableFromInline
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }
    #else
    // Before the state, so that a short access changes one line of the processor's cache.
    @usableFromInline
    package let mutex = Mutex<Void>(())
    @exclusivity(unchecked)
    @usableFromInline
    package var state: State

    package init(_ state: State) {
        self.state = state
    }

    /// Runs `body` with exclusive access to the protected value.
    @inlinable
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    /// Takes the lock, for code that cannot pass a closure. ``unlock()`` must follow on the same thread.
    @inlinable
    package func lock() {
        mutex._unsafeLock()
    }

    private func lockIfAvailable() -> Bool {
        mutex._unsafeTryLock()
    }

    /// Ends what ``lock()`` began.
    @inlinable
    package func unlock() {
        mutex._unsafeUnlock()
    }
    #endif

    /// Runs `body` with exclusive access to the protected value, or returns nil at once if another thread has it.
    package func withLockIfAvailable<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard lockIfAvailable() else { return nil }
        defer { unlock() }
        #if HALCYON_PTHREAD_LOCK
        return try body(&content.state)
        #else
        return try body(&state)
        #endif
    }
}
