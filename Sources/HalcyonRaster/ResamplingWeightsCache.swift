internal import HalcyonSystem

/// The tables of weights used last, at most 64 of them and 1 MiB in all.
final class ResamplingWeightsCache: Sendable {
    struct Key: Hashable, Sendable {
        let source: Int
        let destination: Int
        let part: Range<Int>
        let filter: ResamplingFilter
        let edges: PartialEdges.Axis
        let maximumBits: Int
        let takesPairs: Bool
    }

    private struct State {
        /// The table used last stands last.
        var entries: [(key: Key, weights: ResamplingWeights)] = []
        var byteCount = 0
    }

    static let shared = ResamplingWeightsCache(countLimit: 64, byteLimit: 1 << 20)

    private let state = Lock(State())
    private let countLimit: Int
    private let byteLimit: Int

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// The number of weights kept now, and their bytes.
    var usage: (count: Int, byteCount: Int) { state.withLock { ($0.entries.count, $0.byteCount) } }

    /// Returns a table that is kept; `nil` if there is none. Complexity: linear in the number of tables, since 64 keys
    /// are compared faster than one is hashed twice.
    func weights(for key: Key) -> ResamplingWeights? {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.key == key }) else { return nil }
            if index != state.entries.count - 1 {
                state.entries.append(state.entries.remove(at: index))
            }
            return state.entries.last?.weights
        }
    }

    /// Keeps a table, unless it alone would fill a quarter of the cache.
    func insert(_ weights: ResamplingWeights, for key: Key) {
        guard weights.byteCount <= byteLimit / 4 else { return }
        state.withLock { state in
            // Two threads may have computed the same table.
            guard !state.entries.contains(where: { $0.key == key }) else { return }
            state.entries.append((key, weights))
            state.byteCount += weights.byteCount
            while state.entries.count > countLimit || state.byteCount > byteLimit {
                state.byteCount -= state.entries.removeFirst().weights.byteCount
            }
        }
    }
}
