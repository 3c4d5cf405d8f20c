internal import HalcyonConcurrency
public import Synchronization

/// Why a cache no longer has an entry.
public enum CacheRemovalReason: String, Sendable, Hashable, CaseIterable {
    /// Somebody asked for its removal.
    case removed
    /// Somebody asked for the removal of everything.
    case cleared
    /// Its time was over.
    case expired
    /// It had to make room, or a limit was lowered.
    case evicted
    /// Its body was missing, cut short or altered.
    case damaged
}

/// An entry that a cache no longer has.
public struct CacheRemoval<Key: Hashable & Sendable>: Sendable, Hashable {
    /// Why it went.
    public typealias Reason = CacheRemovalReason

    /// What it was stored under.
    public let key: Key
    /// Why it went.
    public let reason: Reason

    /// Makes a value, for tests of who listens.
    public init(key: Key, reason: Reason) {
        self.key = key
        self.reason = reason
    }
}

/// Those who listen to what a cache removes.
@usableFromInline
final class RemovalListeners<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<CacheRemoval<Key>>.Continuation] = [:]
        var lastID = 0
    }

    private let state = Lock(State())
    /// Asked on every removal, where the lock would cost as much as the removal.
    @usableFromInline let count = Atomic<Int>(0)

    @usableFromInline
    init() {}

    deinit {
        for continuation in state.withLock({ $0.continuations.values.map(\.self) }) { continuation.finish() }
    }

    @inlinable
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// A stream of what is removed from now on. One that nobody reads holds the newest 16,384 removals.
    @usableFromInline
    func makeStream() -> AsyncStream<CacheRemoval<Key>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CacheRemoval<Key>.self,
            bufferingPolicy: .bufferingNewest(16_384)
        )
        let id = state.withLock { state in
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            count.store(state.continuations.count, ordering: .releasing)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Tells everyone. No lock of the cache may be held.
    @usableFromInline
    func tell(_ keys: some Sequence<Key>, _ reason: CacheRemoval<Key>.Reason) {
        guard !isEmpty else { return }
        let continuations = state.withLock { $0.continuations.values.map(\.self) }
        for key in keys {
            for continuation in continuations { continuation.yield(CacheRemoval(key: key, reason: reason)) }
        }
    }

    private func remove(_ id: Int) {
        // Named, so that it is released after the lock.
        let removed = state.withLock { state in
            let removed = state.continuations.removeValue(forKey: id)
            count.store(state.continuations.count, ordering: .releasing)
            return removed
        }
        withExtendedLifetime(removed) {}
    }
}
