internal import Dispatch
internal import HalcyonSystem

/// Holds one call before its end, so that a test can do something else meanwhile.
///
/// ```swift
/// let held = HeldCall()
/// let fileSystem = FaultInjectingFileSystem(observing: { call in if call == .rename { held.pass() } })
/// held.arm()
/// async let isStored = onThread { try cache.store(body, for: "a") }
/// await held.waitUntilReached()
/// try cache.remove(for: "a")
/// held.release()
/// ```
public final class HeldCall: Sendable {
    private struct State {
        var isArmed = false
        var reached = Gate()
        var released = Gate()
    }

    private let state = Lock(State())

    /// Creates one that holds nothing yet.
    public init() {}

    /// Holds the next call of ``pass()``.
    public func arm() {
        state.withLock { $0 = State(isArmed: true) }
    }

    /// Blocks the calling thread if its call is the one to be held.
    public func pass() {
        let gates = state.withLock { state -> (Gate, Gate)? in
            guard state.isArmed else { return nil }
            state.isArmed = false
            return (state.reached, state.released)
        }
        guard let (reached, released) = gates else { return }
        reached.open()
        released.block()
    }

    /// Returns once a call is held.
    public func waitUntilReached() async {
        await state.withLock { $0.reached }.wait()
    }

    /// Lets the held call go on.
    public func release() {
        state.withLock { $0.released }.open()
    }
}

/// Runs a function that may block on a thread of its own.
public func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "halcyon.testing.thread").async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
