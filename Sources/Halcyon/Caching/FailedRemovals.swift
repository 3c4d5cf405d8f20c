internal import HalcyonConcurrency
internal import HalcyonStore

/// The removals that a tier could not make. What they are about is not found there in this process until a later attempt
/// succeeds, and nothing is stored in its place before.
final class FailedRemovals: Sendable {
    private struct State {
        var scopes: [UInt64: TierScope] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The most removals that are told apart: beyond, everything in the tier counts as removed.
    private static let limit = 1_024

    private let state = Lock(State())

    /// Adds a removal.
    func add(_ scope: TierScope) {
        state.withLock { state in
            state.lastNumber += 1
            if state.scopes.count >= Self.limit {
                state.scopes = [state.lastNumber: .everything]
            } else {
                state.scopes[state.lastNumber] = scope
            }
        }
    }

    /// Returns whether an entry was to be removed.
    ///
    /// - Parameter digest: The digest of its original.
    func hide(_ key: CacheKey, version: TierVersion? = nil, digest: @autoclosure () -> ContentDigest?) -> Bool {
        state.withLock { state in
            if state.scopes.isEmpty { return false }
            let digest = digest()?.value
            return state.scopes.values.contains { $0.covers(key, version: version, digest: digest) }
        }
    }

    /// Returns the removals that may be about a name, which are tried once more before something is stored under it.
    func removals(under name: String) -> [(number: UInt64, scope: TierScope)] {
        let key = CacheKey(name: name)
        return state.withLock { state in
            if state.scopes.isEmpty { return [] }
            return state.scopes.compactMap { number, scope in
                let isCovered = scope.name.map { ExactString.hasSameBytes($0, name) } ?? scope.covers(key, digest: nil)
                return isCovered ? (number, scope) : nil
            }
        }
    }

    /// Notes that a removal has been made.
    func forget(_ number: UInt64) {
        _ = state.withLock { $0.scopes.removeValue(forKey: number) }
    }
}
