internal import HalcyonSystem
internal import Synchronization

/// The reason for which a cache removed an entry.
public enum CacheRemovalReason: String, Sendable, Hashable, CaseIterable {
    /// Its removal was requested.
    case removed
    /// The removal of everything was requested.
    case cleared
    /// It had expired.
    case expired
    /// It was removed to make room, or because a limit was lowered.
    case evicted
    /// Its body was missing, cut short or altered.
    case damaged
}

/// The removal of an entry from a cache.
public struct CacheRemoval<Key: Hashable & Sendable>: Sendable, Hashable {
    /// The reason for a removal.
    public typealias Reason = CacheRemovalReason

    /// The key of the entry.
    public let key: Key
    /// The reason for the removal.
    public let reason: Reason

    /// Makes a value, for tests of listeners.
    public init(key: Key, reason: Reason) {
        self.key = key
        self.reason = reason
    }
}

/// The streams of a disk cache's removals.
final class RemovalListeners: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<CacheRemoval<String>>.Continuation] = [:]
        var lastID = 0
    }

    private let state = Lock(State())
    /// The number of streams, which every removal reads: the lock would cost as much as the removal.
    private let count = Atomic<Int>(0)

    deinit {
        for continuation in state.withLock({ $0.continuations.values.map(\.self) }) { continuation.finish() }
    }

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Returns a stream of the removals from now on. A stream that is not read holds the newest 16,384 removals.
    func makeStream() -> AsyncStream<CacheRemoval<String>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CacheRemoval<String>.self,
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

    /// Reports removals to all streams. No lock of the cache may be held.
    func tell(_ keys: [String], _ reason: CacheRemovalReason) {
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
