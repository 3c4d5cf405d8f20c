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

    typealias Tiers = ImageCache.Tiers

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
    ///
    /// - Parameter begun: When it was asked for, by its ``WorkNumber``, if that was before its name was known. Default: now.
    func permit(for name: String, _ kind: StorePermit.Kind = .load, begun: UInt64? = nil) -> StorePermit {
        let (number, sharesSince) = state.withLock { $0.begin(name, kind) }
        return StorePermit(
            order: self,
            name: name,
            kind: kind,
            number: number,
            begun: begun ?? number,
            sharesSince: sharesSince
        )
    }

    /// The age of what is read from a place on disk from now on, at least.
    ///
    /// Asked between ``AsyncDiskCache/settle(_:priority:)`` and a read of ``AsyncDiskCache``, which waits for stores once more: all that
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
        guard let name, let (number, sharesSince) = begun else { return Removal(permit: nil) }
        return Removal(
            permit: StorePermit(
                order: self,
                name: name,
                kind: .load,
                number: number,
                begun: number,
                sharesSince: sharesSince
            )
        )
    }

    /// Notes that a removal has been made.
    func end(_ removal: Removal) {
        state.withLock { state in
            let time = WorkNumber.next()
            guard let name = removal.permit?.name else { return state.reads.endChange(at: time) }
            state.names[name]?.reads.endChange(at: time)
        }
    }

    /// Notes that something was removed from parts of the cache at once. Default: everything.
    func clear(_ tiers: Tiers, of scope: Scope = .everything) {
        state.withLock { $0.note(scope, tiers) }
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
    func admits(
        _ permits: [StorePermit],
        _ age: ContentAge,
        _ place: Place,
        with companion: Place? = nil,
        in tier: Tiers
    ) -> Bool {
        guard let work = StoringWork(permits, age) else { return false }
        return state.withLock { state in
            let clearing = max(state.clearing.time(of: tier), state.names[work.name]?.clearing.time(of: tier) ?? 0)
            guard let record = state.names[work.name], work.begin > record.floor, work.begin > clearing,
                !age.isFromCache
                    || (state.reads.areValid(since: work.begin) && record.reads.areValid(since: work.begin))
            else { return false }
            let places = [place, companion].compactMap(\.self).flatMap(record.placesAffecting)
            let hasLater = places.flatMap(NameRecord.Spot.all(of:)).contains { record.hasChange(in: $0, after: work) }
            guard !hasLater else { return false }
            state.names[work.name]?.note(work.change, in: NameRecord.Spot(place: place, tier: tier))
            return true
        }
    }

    /// Whether something may be stored on disk under a name now, under which later work has stored nothing at all; it then
    /// counts as the original.
    func admitsUnchanged(_ permits: StorePermits) -> Bool {
        guard let permit = permits[self], let work = StoringWork([permit], .new) else { return false }
        return state.withLock { state in
            guard let record = state.names[work.name], work.begin > record.floor,
                work.begin > max(state.clearing.time(of: .disk), record.clearing.time(of: .disk)),
                !record.changes.keys.contains(where: { record.hasChange(in: $0, after: work) })
            else { return false }
            state.names[work.name]?.note(work.change, in: NameRecord.Spot(place: .original, tier: .disk))
            return true
        }
    }

    /// Whether what a place has may be older than what must not be stored there, and so has to go, which then counts as
    /// done: the other tier has what is newer than both, or everything was removed since, and what is there came back from
    /// the other tier.
    ///
    /// The parameters are those of ``admits(_:_:_:with:in:)``.
    func admitsRemoval(_ permits: [StorePermit], _ age: ContentAge, _ place: Place, in tier: Tiers) -> Bool {
        guard !age.isFromCache, let work = StoringWork(permits, age) else { return false }
        return state.withLock { state in
            guard let record = state.names[work.name], work.begin > record.floor else { return false }
            // What the disk has since it was cleared was stored by later work. What memory has may have come from the disk.
            let clearing = max(state.clearing.time(of: .disk), record.clearing.time(of: .disk))
            guard tier == .memory || work.begin > clearing else { return false }
            let spots = record.placesAffecting(place).map { NameRecord.Spot(place: $0, tier: tier) }
            guard !spots.contains(where: { record.hasChange(in: $0, after: work) }) else { return false }
            state.names[work.name]?.note(work.change, in: NameRecord.Spot(place: place, tier: tier))
            return true
        }
    }
}

/// Work that wants to change a place.
struct StoringWork {
    let name: String
    /// When it began, with all of its stages.
    let begin: UInt64
    /// How old its content is.
    let number: UInt64
    /// Later changes of its place may be newer than its content.
    let since: UInt64
    private let isReplacement: Bool

    /// `nil` without a permit.
    init?(_ permits: [StorePermit], _ age: ContentAge) {
        guard let last = permits.last, let begin = permits.map(\.begun).min() else { return nil }
        name = last.name
        self.begin = begin
        number = min(age.number, last.number)
        // A transfer that is shared may have begun before all who wait for it now.
        since = age.isFromCache ? begin : min(begin, number)
        isReplacement = last.kind == .replacement
    }

    /// The change that it makes, now.
    var change: NameRecord.Change {
        NameRecord.Change(time: WorkNumber.next(), number: number, isReplacement: isReplacement)
    }
}
