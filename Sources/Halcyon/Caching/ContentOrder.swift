internal import HalcyonSystem

/// Decides which content a cache keeps: no older original, and nothing that was made of it, replaces a newer one, and
/// nothing that was being loaded when it was removed is stored again.
///
/// Numbers order originals, and digests tell what was made of which: a load has a number from the time at which it is
/// called, a transfer one from the time at which its request is sent, both of ``WorkNumber``. For each name in use a
/// record has the digest of the content that was adopted last, and the numbers of the last removal and of the last store
/// by the program. Results are stored while their load is newer than both, and their digest is that of the record.
///
/// Records end with the loads and stores that use them. A load whose name was not known when it was called
/// is compared with the last removal under any name.
///
/// Admission is asked for in the same step as the change: for memory under the lock of its changes, for disk on the
/// thread that makes all changes. Nothing else is locked under the lock of this type.
final class ContentOrder: Sendable {
    typealias Tiers = ImageCache.Tiers

    /// The last removals from the parts of a cache.
    struct Removals {
        private(set) var memory: UInt64 = 0
        private(set) var disk: UInt64 = 0

        mutating func note(_ number: UInt64, from tiers: Tiers) {
            if tiers.contains(.memory) { memory = max(memory, number) }
            if tiers.contains(.disk) { disk = max(disk, number) }
        }

        /// The last removal that left nothing in any part.
        var all: UInt64 { min(memory, disk) }

        func number(of tier: Tiers) -> UInt64 { tier == .memory ? memory : disk }
    }

    /// The content that was adopted last for a representation.
    private struct Adopted {
        /// The number of its transfer.
        var transfer: UInt64
        /// `nil`: none, as the server has none, or has another representation in its place.
        var digest: ContentDigest?
    }

    private struct Record {
        /// The number of registrations that use the record.
        var useCount = 0
        var removed: Removals
        /// The last store by the program.
        var replaced: UInt64 = 0
        /// The last store by the program of an original, which replaces everything under the name.
        var replacedOriginal: UInt64 = 0
        /// The last store by the program of the result of a key.
        var replacedResults: [ImageKey: UInt64] = [:]
        /// The work that loads join that are called from now on.
        var joining: JoinRule
        /// The number before which work is not joined once the record has ended, when no load has an older image any more.
        private(set) var joinsSinceAfterwards: UInt64
        /// The number since which forced refreshes join each other, and how many are in progress.
        var refreshes: (since: UInt64, count: Int) = (0, 0)
        private var adopted: [String: Adopted] = [:]
        /// The number of the newest transfer whose answer was adopted for all requests.
        private var forAll: UInt64 = 0
        /// The number of the newest transfer that is known to have brought other content than there was.
        private(set) var changed: UInt64 = 0
        /// `true` if only adopted content is current: all other was removed or replaced.
        private var isComplete = false
        /// The digests of content that another process has said to be current, though it was not adopted here.
        private var kept: Set<UInt64> = []
        /// The number of removals that were recorded and are not made yet.
        var removalCount = 0

        init(removed: Removals, joinsSince: UInt64) {
            self.removed = removed
            joining = JoinRule(since: joinsSince)
            joinsSinceAfterwards = joinsSince
        }

        /// Returns whether content of a representation is not known to be outdated.
        ///
        /// - Parameters:
        ///   - digest: The digest of the content; `nil` for a result that the program stored.
        ///   - key: The key of the content on disk.
        func isCurrent(
            _ digest: ContentDigest?,
            of representation: String,
            at key: @autoclosure () -> CacheKey
        ) -> Bool {
            // What the program stored as a result was made of an original that is not known.
            guard let digest else { return removalCount == 0 && replacedResult(at: key()) >= changed }
            return kept.contains(digest.value) || adopted[representation].map { $0.digest == digest } ?? !isComplete
        }

        /// Returns the last store by the program of a result, or of the one that it is an encoded form of; 0 if there is
        /// none.
        private func replacedResult(at key: CacheKey) -> UInt64 {
            replacedResults.reduce(0) { $1.key.isResult(at: key) ? max($0, $1.value) : $0 }
        }

        /// Returns whether content is what was adopted last for a representation, by this transfer or with this digest.
        func isAdopted(_ digest: ContentDigest?, _ representation: String, _ transfer: UInt64) -> Bool {
            adopted[representation].map { $0.transfer == transfer || digest != nil && $0.digest == digest } ?? false
        }

        /// The number of the newest transfer whose answer was adopted for a representation, or for any of them.
        func newest(_ representation: String?) -> UInt64 {
            guard let representation, !representation.isEmpty else { return adopted.values.map(\.transfer).max() ?? 0 }
            return max(adopted[representation]?.transfer ?? 0, forAll)
        }

        /// Adopts content.
        ///
        /// - Parameters:
        ///   - digest: The digest; `nil` if there is no content any more.
        ///   - representation: The representation; empty for content that is the same for all requests, which replaces
        ///     those of some.
        /// - Returns: Whether other content may be stored under the name; `nil` if newer content was adopted before.
        mutating func adopt(_ digest: ContentDigest?, _ representation: String, _ transfer: UInt64) -> Bool? {
            guard transfer >= newest(representation) else { return nil }
            if representation.isEmpty { forAll = transfer }
            defer { adopted[representation] = Adopted(transfer: transfer, digest: digest) }
            if let digest, adopted[representation]?.digest == digest || kept.contains(digest.value) { return false }
            kept = []
            if digest == nil || adopted[representation] != nil { noteChange(by: transfer) }
            if representation.isEmpty {
                adopted = [:]
                isComplete = true
            } else {
                adopted[""] = Adopted(transfer: transfer, digest: nil)
            }
            return true
        }

        /// Records that a transfer has brought other content than there was.
        mutating func noteChange(by transfer: UInt64) {
            changed = max(changed, transfer)
        }

        /// Records a removal, after which nothing is left under the name but what it excepts.
        mutating func begin(_ scope: TierScope, from tiers: Tiers, at number: UInt64) {
            let newest = adopted.values.map(\.transfer).max() ?? 0
            // Content that replaces other content is stored by loads that were called before, too.
            if scope.kept.isEmpty { removed.note(number, from: tiers) }
            guard tiers.contains(.disk) else { return }
            adopted = ["": Adopted(transfer: scope.kept.isEmpty ? newest : number, digest: nil)]
            (isComplete, kept) = (true, scope.kept)
            // What it keeps is newer than each transfer of before, of whichever representation.
            if !kept.isEmpty { forAll = max(forAll, number) }
            joinOnlyWork(since: number)
            removalCount += 1
        }

        /// Excludes earlier work from being joined, but for that of one load; once the record has ended, that of calls before
        /// `called`.
        mutating func joinOnlyWork(since number: UInt64, orOf adopter: UInt64? = nil, called: UInt64? = nil) {
            joining = JoinRule(since: max(joining.since, number), adopter: adopter)
            joinsSinceAfterwards = max(joinsSinceAfterwards, called ?? number)
        }
    }

    /// A removal in progress.
    struct Removal: Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var records: [ExactString: Record] = [:]
        /// The removals in progress.
        var removals: [UInt64: (scope: TierScope, tiers: Tiers)] = [:]
        /// The last removals under any name.
        var removed = Removals()
        /// The last stores by the program under names, and the last of those that are not noted any more.
        var replaced: [ExactString: UInt64] = [:]
        var lastReplaced: UInt64 = 0
        /// The last removals of everything.
        var cleared = Removals()
        /// The number before which work is not joined by loads whose names have no record.
        var joinsSince: UInt64 = 0

        /// Returns the record of a name, for one more use.
        mutating func use(_ name: ExactString) {
            if records[name] != nil {
                records[name]?.useCount += 1
                return
            }
            var record = Record(removed: cleared, joinsSince: joinsSince)
            record.useCount = 1
            for (number, removal) in removals.sorted(by: { $0.key < $1.key }) where removal.scope.covers(name) {
                record.begin(removal.scope, from: removal.tiers, at: number)
            }
            records[name] = record
        }

        /// The most names whose last store by the program is noted for loads that do not know their names yet.
        private static let replacementLimit = 1_024

        mutating func noteReplacement(of name: ExactString, _ number: UInt64) {
            if replaced.count >= Self.replacementLimit, replaced[name] == nil {
                lastReplaced = replaced.values.max() ?? 0
                replaced = [:]
            }
            replaced[name] = max(replaced[name] ?? 0, number)
        }

        /// Returns the names with a record that a removal covers.
        func covered(_ scope: TierScope) -> [ExactString] {
            scope.name.map { [ExactString($0)] } ?? records.keys.filter(scope.covers)
        }

        mutating func end(_ name: ExactString, isRefresh: Bool) {
            // The name is long, and a record large: looked up once, and not copied.
            guard let index = records.index(forKey: name) else { return }
            records.values[index].useCount -= 1
            if isRefresh { records.values[index].refreshes.count -= 1 }
            guard records.values[index].useCount == 0 else { return }
            // Downloads outside a pipeline have no registrations, and may be in progress.
            joinsSince = max(joinsSince, records.values[index].joinsSinceAfterwards)
            records.remove(at: index)
        }
    }

    private let state = Lock(State())

    /// The number of names with a record.
    var recordCount: Int { state.withLock { $0.records.count } }

    /// `true` while removals are recorded that are not made yet.
    var isChanging: Bool { state.withLock { !$0.removals.isEmpty } }

    /// Begins work that may store something under a name.
    ///
    /// - Parameter called: The ``WorkNumber`` of the call, if the name was not known then. Default: now.
    func register(_ name: String, _ kind: ContentRegistration.Kind = .load, called: UInt64? = nil)
        -> ContentRegistration
    {
        let name = ExactString(name)
        return state.withLock { state in
            state.use(name)
            let number = WorkNumber.next()
            var lost: Tiers = []
            if let called {
                if called < max(state.lastReplaced, state.replaced[name] ?? 0) { lost = .all }
                if called < state.removed.memory { lost.insert(.memory) }
                if called < state.removed.disk { lost.insert(.disk) }
            }
            if kind == .refresh, var record = state.records[name] {
                // Forced refreshes in progress at the same time join each other, unless something changed between them.
                if record.refreshes.count == 0 || record.refreshes.since != record.joining.since {
                    record.joinOnlyWork(since: called ?? number)
                    record.refreshes.since = record.joining.since
                }
                record.refreshes.count += 1
                state.records[name] = record
            }
            return ContentRegistration(
                order: self,
                name: name,
                kind: kind,
                number: called ?? number,
                joining: state.records[name]?.joining ?? JoinRule(since: number),
                lost: lost
            )
        }
    }

    /// Ends work.
    func end(_ registration: ContentRegistration) {
        state.withLock { $0.end(registration.name, isRefresh: registration.kind == .refresh) }
    }

    /// Returns whether content that was found in the cache is not known to be outdated.
    ///
    /// - Parameters:
    ///   - digest: The digest of the content; `nil` for a result that the program stored.
    ///   - key: The key of the content on disk, also for content in memory.
    func isCurrent(_ digest: ContentDigest?, of representation: String, at key: CacheKey) -> Bool {
        let name = ExactString(key.name)
        return state.withLock { $0.records[name]?.isCurrent(digest, of: representation, at: key) ?? true }
    }

    /// Adopts the content of a transfer, unless newer content was adopted, stored by the program, or removed.
    ///
    /// - Returns: `true` if other content has to be removed now.
    func adopt(_ claim: ContentClaim) -> Bool {
        guard let transfer = claim.transfer, let registration = claim.registrations[self],
            !registration.lost.contains(.all)
        else { return false }
        return state.withLock { state in
            guard let record = state.records[registration.name], registration.number > record.removed.all,
                registration.number > record.replaced
            else { return false }
            let isChanged =
                state.records[registration.name]?.adopt(claim.digest, claim.representation, transfer) ?? false
            // Work of other loads may go on with older content, also of those that were called since this one.
            if isChanged {
                let number = claim.registrations.number
                state.records[registration.name]?.joinOnlyWork(
                    since: WorkNumber.next(),
                    orOf: claim.isInBackground ? nil : number,
                    called: number
                )
            }
            return isChanged
        }
    }

    /// Records that content of another original was found under a name whose content was adopted.
    func noteChange(by claim: ContentClaim) {
        guard let registration = claim.registrations[self] else { return }
        state.withLock { $0.records[registration.name]?.noteChange(by: claim.transfer ?? registration.number) }
    }

    /// Returns whether the content of a claim, or newer content, is known to be other content than there was under its name, so
    /// that what the program has stored as results before is outdated.
    func hasChanged(_ claim: ContentClaim) -> Bool {
        guard let registration = claim.registrations[self] else { return true }
        return state.withLock { state in
            state.records[registration.name].map { $0.changed >= claim.transfer ?? registration.number } ?? true
        }
    }

    /// Records that the program stores content.
    ///
    /// - Parameter key: The key of the result of processors; `nil` for an original, which replaces everything.
    func replace(_ claim: ContentClaim, resultOf key: ImageKey?) {
        guard let registration = claim.registrations[self] else { return }
        state.withLock { state in
            let (name, number) = (registration.name, registration.number)
            state.noteReplacement(of: name, number)
            guard var record = state.records[name] else { return }
            record.joinOnlyWork(since: WorkNumber.next(), called: number)
            record.replaced = max(record.replaced, number)
            if let key {
                record.replacedResults[key] = max(record.replacedResults[key] ?? 0, number)
            } else {
                record.replacedOriginal = max(record.replacedOriginal, number)
                record.replacedResults = record.replacedResults.filter { $0.value > number }
                // What the program stored as a result before is older.
                if record.adopt(claim.digest, "", number) == true { record.noteChange(by: number) }
            }
            state.records[name] = record
        }
    }

    /// Returns whether content may be stored now.
    func admits(_ claim: ContentClaim, _ key: ImageKey, in tier: Tiers) -> Bool {
        guard let registration = claim.registrations[self], !registration.lost.contains(tier) else { return false }
        return state.withLock { state in
            guard let record = state.records[registration.name], registration.number > record.removed.number(of: tier),
                !claim.isFromMemory || registration.number > record.removed.memory
            else { return false }
            if registration.kind == .replacement {
                let replaced = max(record.replacedOriginal, record.replacedResults[key] ?? 0)
                return registration.number >= max(replaced, record.newest(nil))
            }
            guard registration.number > record.replaced else { return false }
            return claim.isPart
                || record.isCurrent(claim.digest, of: claim.representation, at: CacheKey(text: key.processedDiskKey))
        }
    }

    /// Returns whether an answer is newer than all removals and all content that was adopted under its name.
    func isNewest(_ claim: ContentClaim) -> Bool {
        guard let registration = claim.registrations[self], registration.lost.isEmpty else { return false }
        return state.withLock { state in
            guard let record = state.records[registration.name] else { return false }
            let isReplacement = registration.kind == .replacement && registration.number == record.replaced
            return registration.number > record.removed.all && (registration.number > record.replaced || isReplacement)
                && (claim.transfer ?? registration.number) >= record.newest(nil)
        }
    }

    /// Returns whether the content of a claim is still what was adopted last for its representation, whatever has
    /// confirmed it since, and no removal came after its load.
    func isAdopted(_ claim: ContentClaim) -> Bool {
        guard let registration = claim.registrations[self], registration.lost.isEmpty else { return false }
        return state.withLock { state in
            guard let record = state.records[registration.name], registration.number > record.removed.all else {
                return false
            }
            return record.isAdopted(claim.digest, claim.representation, claim.transfer ?? registration.number)
        }
    }

    /// Records a removal. No load that was called before stores what it covers, and nothing that is found on disk is
    /// current until ``end(_:)-(Removal)`` is called.
    func begin(_ scope: TierScope, from tiers: Tiers) -> Removal {
        state.withLock { state in
            let number = WorkNumber.next()
            if scope.kept.isEmpty { state.removed.note(number, from: tiers) }
            if case .everything = scope { state.cleared.note(number, from: tiers) }
            state.removals[number] = (scope, tiers)
            // Work in progress may be joined where only memory was cleared, which is done to free space.
            if tiers.contains(.disk) { state.joinsSince = number }
            for name in state.covered(scope) { state.records[name]?.begin(scope, from: tiers, at: number) }
            return Removal(number: number)
        }
    }

    /// Records that a removal has been made.
    func end(_ removal: Removal) {
        state.withLock { state in
            guard let (scope, tiers) = state.removals.removeValue(forKey: removal.number), tiers.contains(.disk) else {
                return
            }
            for name in state.covered(scope) { state.records[name]?.removalCount -= 1 }
        }
    }
}

extension TierScope {
    /// Returns whether a removal is about originals with a name.
    func covers(originalsNamed name: String) -> Bool { covers(CacheKey(name: name), digest: nil) }

    fileprivate func covers(_ name: ExactString) -> Bool { covers(originalsNamed: name.text) }

    /// The digests of content that the removal leaves.
    fileprivate var kept: Set<UInt64> { if case .name(_, let kept, _) = self { kept } else { [] } }
}
