internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The removals that a tier could not make. What they are about is not found there in this process until a later attempt
/// succeeds, and nothing is stored in its place before.
final class FailedRemovals: Sendable {
    private struct Failure {
        let scope: TierScope
        /// The digest of the original of an entry that could not be stored, of which `scope` is about what it was to replace;
        /// `nil` for another removal, and if it is not known.
        let digest: UInt64?
        /// The number of the last time that it failed.
        var number: Int

        /// Returns whether another failure hides what this one is about, or what is as good as the entry that was to be stored.
        func isCovered(by other: Failure) -> Bool {
            guard case .entry(_, nil) = scope else { return false }
            return switch other.scope {
            case .name(_, except: [], unknownSince: nil): true
            case .name(_, let kept, _): digest.map(kept.contains) ?? false
            case .entry, .names, .everything: false
            }
        }
    }

    private struct State {
        /// Each once, by the name that it is about; `nil` for those about several.
        var failures: [ExactString?: [Failure]] = [:]
        var count = 0
        var lastNumber = 0
        /// The attempts in progress.
        var attempts: [(scope: TierScope, task: Task<Bool, Never>)] = []
        /// The time and the number of the last removal that is not among these, as there were too many; all before it is
        /// hidden.
        var lastOverflow: (date: Date, number: Int)?

        /// The failures that may be about a name.
        func failures(under name: String) -> [Failure] {
            (failures[ExactString(name)] ?? []) + (failures[nil] ?? [])
        }

        func contains(_ scope: TierScope) -> Bool {
            failures[scope.exactName]?.contains { $0.scope == scope } ?? false
        }

        /// - Parameter last: The number of the last failure before the removal that has been made now. Default: of all.
        mutating func forget(_ scope: TierScope, until last: Int = .max) {
            if scope == .everything {
                for name in failures.keys { remove(under: name) { $0.number <= last } }
                if let overflow = lastOverflow, overflow.number <= last { lastOverflow = nil }
            } else {
                remove(under: scope.exactName) { $0.number <= last && $0.scope == scope }
            }
        }

        mutating func remove(under name: ExactString?, where isUnwanted: (Failure) -> Bool) {
            guard let all = failures[name] else { return }
            let left = all.filter { !isUnwanted($0) }
            count -= all.count - left.count
            failures[name] = left.isEmpty ? nil : left
        }
    }

    /// The most removals that are told apart. Beyond, what the tier had at the time of a removal is not found any more:
    /// it only hides, as nobody has asked for the removal of everything.
    static let limit = 16_384

    private let now: @Sendable () -> Date
    private let state = Lock(State())

    /// - Parameter now: Returns the date by which the tier tells when its entries arrived.
    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// Adds a removal.
    ///
    /// - Parameter digest: The digest of the original of the entry that could not be stored in place of the one to be removed;
    ///   `nil` if there is none, or it is not known. Default: `nil`.
    func add(_ scope: TierScope, digest: UInt64? = nil) {
        let now = now()
        state.withLock { state in
            state.lastNumber += 1
            let name = scope.exactName
            let failure = Failure(scope: scope, digest: digest, number: state.lastNumber)
            if let index = state.failures[name]?.firstIndex(where: { $0.scope == scope || failure.isCovered(by: $0) }) {
                state.failures[name]?[index].number = state.lastNumber
                return
            }
            // A load that stores an original and results of it needs one.
            state.remove(under: name) { $0.isCovered(by: failure) }
            if state.count == Self.limit {
                (state.failures, state.count, state.lastOverflow) = ([:], 0, (now, state.lastNumber))
            }
            state.failures[name, default: []].append(failure)
            state.count += 1
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
            if state.count == 0, state.lastOverflow == nil { return false }
            if let lastOverflow = state.lastOverflow, storedAt ?? .distantPast <= lastOverflow.date { return true }
            let failures = state.failures(under: key.name)
            guard !failures.isEmpty else { return false }
            let digest = digest()?.value
            return failures.contains { $0.scope.covers(key, version: version, digest: digest, storedAt: storedAt) }
        }
    }

    /// Those that keep nothing, as the program asks for: other processes may have to make them too.
    var unconditional: [TierScope] {
        state.withLock { state in
            state.failures.values.flatMap { $0.map(\.scope).filter(\.isUnconditional) }
        }
    }

    /// Returns whether a removal is among these.
    func contains(_ scope: TierScope) -> Bool { state.withLock { $0.contains(scope) } }

    /// Returns the removals that may be about a name, which are tried once more before something is stored under it.
    func removals(under name: String) -> [TierScope] {
        let key = CacheKey(name: name)
        return state.withLock { state in
            state.failures(under: name).map(\.scope).filter { $0.name != nil || $0.covers(key, digest: nil) }
        }
    }

    /// Makes one of these removals, once for all stores that wait for it: one that is made for a later store would remove
    /// what an earlier one has stored under another name.
    ///
    /// - Parameter remove: Makes the removal, and returns whether it was made.
    func retry(_ scope: TierScope, _ remove: @escaping @Sendable () async -> Bool) async -> Bool {
        let attempt = state.withLock { state -> Task<Bool, Never>? in
            if let attempt = state.attempts.first(where: { $0.scope == scope }) { return attempt.task }
            guard state.contains(scope) else { return nil }
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

    fileprivate var exactName: ExactString? { name.map { ExactString($0) } }
}
