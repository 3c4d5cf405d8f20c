internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The removals that a tier could not make. What they are about is not found there in this process until a later attempt
/// succeeds, and nothing is stored in its place before.
final class FailedRemovals: Sendable {
    private struct State {
        /// Each once, with the number of the last time that it failed.
        var scopes: [(scope: TierScope, number: Int)] = []
        var lastNumber = 0
        /// The attempts in progress.
        var attempts: [(scope: TierScope, task: Task<Bool, Never>)] = []
        /// The time and the number of the last removal that is not among these, as there were too many; all before it is
        /// hidden.
        var lastOverflow: (date: Date, number: Int)?

        /// - Parameter last: The number of the last failure before the removal that has been made now. Default: of all.
        mutating func forget(_ scope: TierScope, until last: Int = .max) {
            scopes.removeAll { $0.number <= last && (scope == .everything || $0.scope == scope) }
            if scope == .everything, let overflow = lastOverflow, overflow.number <= last { lastOverflow = nil }
        }
    }

    /// The most removals that are told apart. Beyond, what the tier had at the time of a removal is not found any more:
    /// it only hides, as nobody has asked for the removal of everything.
    static let limit = 1_024

    private let now: @Sendable () -> Date
    private let state = Lock(State())

    /// - Parameter now: Returns the date by which the tier tells when its entries arrived.
    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// Adds a removal.
    func add(_ scope: TierScope) {
        let now = now()
        state.withLock { state in
            state.lastNumber += 1
            if let index = state.scopes.firstIndex(where: { $0.scope == scope }) {
                state.scopes[index].number = state.lastNumber
                return
            }
            if state.scopes.count == Self.limit { (state.scopes, state.lastOverflow) = ([], (now, state.lastNumber)) }
            state.scopes.append((scope, state.lastNumber))
        }
    }

    /// Returns whether an entry was to be removed.
    ///
    /// - Parameters:
    ///   - storedAt: The time of its arrival; `nil` if that is not known: the entry is then taken for old.
    ///   - digest: The digest of its original.
    func hide(
        _ key: CacheKey,
        version: TierVersion?,
        storedAt: Date?,
        digest: @autoclosure () -> ContentDigest?
    ) -> Bool {
        state.withLock { state in
            if state.scopes.isEmpty, state.lastOverflow == nil { return false }
            if let lastOverflow = state.lastOverflow, storedAt ?? .distantPast <= lastOverflow.date { return true }
            let digest = digest()?.value
            return state.scopes.contains {
                $0.scope.covers(key, version: version, digest: digest, storedAt: storedAt)
            }
        }
    }

    /// Those that keep nothing, as the program asks for: other processes may have to make them too.
    var unconditional: [TierScope] {
        state.withLock { $0.scopes.map(\.scope).filter(\.isUnconditional) }
    }

    /// Returns whether a removal is among these.
    func contains(_ scope: TierScope) -> Bool { state.withLock { $0.scopes.contains { $0.scope == scope } } }

    /// Returns the removals that may be about a name, which are tried once more before something is stored under it.
    func removals(under name: String) -> [TierScope] {
        let key = CacheKey(name: name)
        return state.withLock { state in
            state.scopes.map(\.scope).filter { scope in
                scope.name.map { ExactString.hasSameBytes($0, name) } ?? scope.covers(key, digest: nil)
            }
        }
    }

    /// Makes one of these removals, once for all stores that wait for it: one that is made for a later store would remove
    /// what an earlier one has stored under another name.
    ///
    /// - Parameter remove: Makes the removal, and returns whether it was made.
    /// - Returns: `true` if it has been made.
    func retry(_ scope: TierScope, _ remove: @escaping @Sendable () async -> Bool) async -> Bool {
        let attempt = state.withLock { state -> Task<Bool, Never>? in
            if let attempt = state.attempts.first(where: { $0.scope == scope }) { return attempt.task }
            guard state.scopes.contains(where: { $0.scope == scope }) else { return nil }
            let last = state.lastNumber
            let task = Task.detached { [self] in
                let isMade = await remove()
                self.state.withLock { state in
                    state.attempts.removeAll { $0.scope == scope }
                    // What has failed meanwhile, such as for another name, may be left.
                    if isMade { state.forget(scope, until: last) }
                }
                return isMade
            }
            state.attempts.append((scope, task))
            return task
        }
        return await attempt?.value ?? true
    }

    /// Notes that a removal has been made.
    func forget(_ scope: TierScope) {
        state.withLock { $0.forget(scope) }
    }
}

extension TierScope {
    /// `true` if nothing under the names that it is about is kept.
    var isUnconditional: Bool {
        switch self {
        case .name(_, except: [], unknownSince: nil), .names, .everything: true
        case .entry, .name: false
        }
    }
}
