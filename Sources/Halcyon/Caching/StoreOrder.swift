internal import HalcyonConcurrency

/// Decides what a cache takes from work that goes on at the same time: nothing that was under way when its place was
/// removed comes back, and what began earlier never takes the place of what began later.
///
/// Each piece of work that may store something gets a permit when it begins. Changes are noted by the name of the original
/// for as long as there are permits for that name, so that what is noted goes with the work.
///
/// Loads share work with others that began before. Each permit says since when: what a removal, a store or a forced refresh
/// made older is not shared with loads that begin afterwards.
///
/// Who stores asks at the last moment, where nothing can come between: memory under the lock of its changes, disk on the
/// thread that makes them all. Who removes notes it first, and removes then. Nothing else is locked under the lock of this.
final class StoreOrder: Sendable {
    /// What is stored under the name of an original.
    enum Place: Hashable, Sendable {
        /// The image of a key, in memory, and on disk if it is the result of processing.
        case image(ImageKey)
        /// The original on disk, all of its representations together.
        case original
        /// One of the representations that an original has for different requests.
        case representation(String)
    }

    /// The parts of a cache.
    struct Tiers: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let memory = Tiers(rawValue: 1)
        static let disk = Tiers(rawValue: 2)
        static let both: Tiers = [.memory, .disk]
    }

    /// What a removal covers.
    enum Scope: Sendable {
        case everything
        /// Everything under names that begin so.
        case names(beginningWith: String)
        /// Everything under a name.
        case name(String)
        /// Some places under a name.
        case places([Place], name: String)
    }

    /// A removal that is under way.
    struct Removal: Sendable {
        /// Keeps what is noted under the name, if there is one.
        fileprivate let permit: StorePermit?

        /// To store what takes the place of what is removed.
        var permits: StorePermits? { permit.map { StorePermits($0) } }
    }

    private struct State {
        var names: [String: NameRecord] = [:]
        var clearing = Clearing()
        var reads = CacheReads()
        /// No work that began before is shared with loads of names that have no record.
        var sharedSince: UInt64 = 0

        mutating func begin(_ name: String, _ kind: StorePermit.Kind) -> (number: UInt64, sharesSince: UInt64) {
            let number = WorkNumber.next()
            let since = names[name, default: NameRecord(sharedSince: sharedSince)].begin(number, kind)
            return (number, since)
        }

        mutating func end(_ name: String, _ number: UInt64, _ kind: StorePermit.Kind) {
            names[name]?.end(number, kind)
            guard let record = names[name], record.permits.isEmpty else { return }
            // Downloads that are none of a pipeline have no permits, and may go on.
            sharedSince = max(sharedSince, record.sharedSince)
            names[name] = nil
        }

        mutating func note(_ scope: Scope, _ tiers: Tiers) {
            let time = WorkNumber.next()
            let covered =
                switch scope {
                case .everything: Array(names.keys)
                case .names(let prefix): names.keys.filter { $0.utf8.starts(with: prefix.utf8) }
                case .name(let name), .places(_, let name): [name]
                }
            // What goes on may be shared where it is only memory that was cleared, as that is to free space.
            if tiers.contains(.disk) {
                sharedSince = time
                for name in covered { names[name]?.sharedSince = time }
            }
            switch scope {
            case .everything:
                clearing.note(time, tiers)
            case .names:
                for name in covered { names[name]?.clearing.note(time, tiers) }
            case .name(let name):
                names[name]?.clearing.note(time, tiers)
            case .places(let places, let name):
                for spot in places.flatMap(NameRecord.Spot.all(of:)) where tiers.contains(spot.tier) {
                    names[name]?.note(.init(time: time, number: .max), in: spot)
                }
            }
        }
    }

    private let state = Lock(State())

    /// Permits that are still in use.
    var permitCount: Int { state.withLock { $0.names.values.reduce(0) { $0 + $1.permits.count } } }

    /// Whether there are removals that are not made yet.
    var isChanging: Bool {
        state.withLock { state in state.reads.isChanging || state.names.values.contains { $0.reads.isChanging } }
    }

    /// Begins work that may store something under the name of an original.
    func permit(for name: String, _ kind: StorePermit.Kind = .load) -> StorePermit {
        StorePermit(order: self, name: name, kind: kind, begun: state.withLock { $0.begin(name, kind) })
    }

    /// The age of what is read from a place on disk from now on, at least.
    ///
    /// Asked between ``DiskStage/settle(_:priority:)`` and a read of ``DiskStage``, which waits for stores once more: all that
    /// is counted here is in what is read then.
    func age(of place: Place, named name: String) -> ContentAge {
        state.withLock { $0.names[name]?.age(of: place) } ?? .unknown
    }

    /// The same of the original, which of its representations it will be: by their places.
    func agesOfOriginal(named name: String) -> [Place: ContentAge] {
        state.withLock { $0.names[name]?.agesOfOriginal() } ?? [:]
    }

    /// Notes a removal. Nothing that is under way is stored where it was, and nothing read from the cache until ``end(_:)``
    /// is called, when it has been made, gets another place there.
    ///
    /// - Returns: The removal, whose permits, for a scope with a name, are younger than it.
    func begin(_ scope: Scope, from tiers: Tiers) -> Removal {
        let name: String? =
            switch scope {
            case .everything, .names: nil
            case .name(let name), .places(_, let name): name
            }
        let begun = state.withLock { state -> (number: UInt64, sharesSince: UInt64)? in
            state.note(scope, tiers)
            guard let name else {
                state.reads.beginChange()
                return nil
            }
            let begun = state.begin(name, .load)
            state.names[name]?.reads.beginChange()
            return begun
        }
        let permit = name.flatMap { name in
            begun.map { StorePermit(order: self, name: name, kind: .load, begun: $0) }
        }
        return Removal(permit: permit)
    }

    /// Notes that a removal has been made.
    func end(_ removal: Removal) {
        state.withLock { state in
            let time = WorkNumber.next()
            guard let name = removal.permit?.name else { return state.reads.endChange(at: time) }
            state.names[name]?.reads.endChange(at: time)
        }
    }

    /// Notes that everything was removed from parts of the cache at once.
    func clear(_ tiers: Tiers) {
        state.withLock { $0.note(.everything, tiers) }
    }

    func end(_ name: String, _ number: UInt64, _ kind: StorePermit.Kind) {
        state.withLock { $0.end(name, number, kind) }
    }

    /// Whether a change may be made now, which then counts as made.
    ///
    /// - Parameters:
    ///   - permits: Those of the work, in the order of its stages: the last is that of the content.
    ///   - age: How old the content is, if it is older than that: it came with a transfer that had begun before, or was
    ///     read from the cache.
    ///   - place: What is changed.
    ///   - companion: Another place under the same name that must not have been changed by later work either.
    ///   - tier: Memory or disk.
    ///   - isRemoval: Whether what is older is only removed. That everything was cleared since does not stand in its way.
    func admits(
        _ permits: [StorePermit],
        _ age: ContentAge,
        _ place: Place,
        with companion: Place? = nil,
        in tier: Tiers,
        isRemoval: Bool = false
    ) -> Bool {
        guard let last = permits.last, let begin = permits.map(\.number).min() else { return false }
        let number = min(age.number, last.number)
        // A transfer that is shared may have begun before all who wait for it now.
        let since = age.isFromCache ? begin : min(begin, number)
        return state.withLock { state in
            let record = state.names[last.name]
            let clearing = max(state.clearing.time(of: tier), record?.clearing.time(of: tier) ?? 0)
            guard let record, begin > record.floor, isRemoval || begin > clearing,
                !age.isFromCache || (state.reads.areValid(since: begin) && record.reads.areValid(since: begin))
            else { return false }
            let places = [place, companion].compactMap(\.self).flatMap(record.placesAffecting)
            for other in places.flatMap(NameRecord.Spot.all(of:)) {
                for change in record.changes[other] ?? [] where change.time > since {
                    if change.number > number || (change.isReplacement && change.number > begin) { return false }
                }
            }
            let change = NameRecord.Change(
                time: WorkNumber.next(),
                number: number,
                isReplacement: last.kind == .replacement
            )
            state.names[last.name]?.note(change, in: NameRecord.Spot(place: place, tier: tier))
            return true
        }
    }
}
