internal import Glibc
internal import HalcyonSystem

/// A point at which threads and tasks wait until a test opens it; from then on it stays open.
///
/// A test orders events on several threads with it, without sleeping.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// Creates a closed gate.
    public init() {}

    /// A Boolean value that indicates whether the gate has been opened.
    public var isOpen: Bool {
        state.withLock { $0.isOpen }
    }

    /// Opens the gate for all present and later waiters. Opening it again does nothing.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Returns once the gate is open.
    public func wait() async {
        await withCheckedContinuation { continuation in
            whenOpen { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate is open. Not for threads of Swift's pool.
    public func block() {
        let semaphore = Semaphore()
        whenOpen { semaphore.signal() }
        semaphore.wait()
    }

    /// Calls `body` once the gate is open: at once, or on the thread that opens it.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(body) }
            return state.isOpen
        }
        if isOpen { body() }
    }
}

/// Blocks a thread that the test support owns, until another one signals.
///
/// Unchecked: the semaphore does its own synchronisation, at an address that does not move.
final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        sem_post(semaphore)
    }

    func wait() {
        // Interrupted by a signal handler: it waits again.
        while sem_wait(semaphore) != 0 {}
    }
}
