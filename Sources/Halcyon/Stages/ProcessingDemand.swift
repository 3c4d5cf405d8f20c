internal import HalcyonConcurrency

/// The number of loads under way that pass through each beginning of a chain of processors.
///
/// A beginning through which more loads pass than through the whole of a chain is made once for all of them; any other
/// is no bitmap of its own, where the processors around it can share a pass.
final class ProcessingDemand: Sendable {
    private let counts = Lock<[ProcessedWorkKey: Int]>([:])

    /// The sum over all beginnings.
    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Counts a load through each of the beginnings of its chain.
    func add(_ keys: [ProcessedWorkKey]) {
        counts.withLock { counts in
            for key in keys {
                counts[key, default: 0] += 1
            }
        }
    }

    /// Takes the load back.
    func remove(_ keys: [ProcessedWorkKey]) {
        // Returned, so that no key is released under the lock.
        _ = counts.withLock { counts in
            keys.compactMap { key -> (key: ProcessedWorkKey, value: Int)? in
                guard let index = counts.index(forKey: key) else { return nil }
                counts.values[index] -= 1
                return counts.values[index] == 0 ? counts.remove(at: index) : nil
            }
        }
    }

    /// Returns the index of the longest beginning that more loads wait for than for the last of `keys`; `nil` if there
    /// is none.
    func sharedBeginning(of keys: ArraySlice<ProcessedWorkKey>) -> Int? {
        guard keys.count > 1, let whole = keys.last else { return nil }
        return counts.withLock { counts in
            let least = counts[whole, default: 0]
            return keys.indices.dropLast().last { counts[keys[$0], default: 0] > least }
        }
    }
}
