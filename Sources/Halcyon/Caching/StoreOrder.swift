internal import HalcyonConcurrency

/// Decides what a cache takes from work that goes on at the same time: nothing that was under way when its place was
/// removed comes back, and what began earlier never takes the place of what began later.
///
/// Each piece of work that may store something gets a permit when it begins. Changes are noted by the name of the original
/// for as long as there are permits for that name, so that what is noted goes with the work.
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
        /// Numbers permits and changes in the order in which they come.
        var lastNumber: UInt64 = 0
        var clearing = Clearing()
        var reads = CacheReads()

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func begin(_ name: String) -> UInt64 {
            let number = next()
            names[name, default: NameRecord()].permits.insert(number)
            return number
        }

        mutating func note(_ scope: Scope, _ tiers: Tiers) {
            let time = next()
            switch scope {
            case .everything:
                clearing.note(time, tiers)
            case .names(let prefix):
                let covered = names.keys.filter { $0.utf8.starts(with: prefix.utf8) }
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
    func permit(for name: String) -> StorePermit {
        StorePermit(order: self, name: name, number: state.withLock { $0.begin(name) })
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
        let number = state.withLock { state -> UInt64? in
            state.note(scope, tiers)
            guard let name else {
                state.reads.beginChange()
                return nil
            }
            let number = state.begin(name)
            state.names[name]?.reads.beginChange()
            return number
        }
        let permit = name.flatMap { name in number.map { StorePermit(order: self, name: name, number: $0) } }
        return Removal(permit: permit)
    }

    /// Notes that a removal has been made.
    func end(_ removal: Removal) {
        state.withLock { state in
            let time = state.next()
            guard let name = removal.permit?.name else { return state.reads.endChange(at: time) }
            state.names[name]?.reads.endChange(at: time)
        }
    }

    /// Notes that everything was removed from parts of the cache at once.
    func clear(_ tiers: Tiers) {
        state.withLock { $0.note(.everything, tiers) }
    }

    fileprivate func end(_ name: String, _ number: UInt64) {
        state.withLock { state in
            state.names[name]?.permits.remove(number)
            if state.names[name]?.permits.isEmpty == true { state.names[name] = nil }
        }
    }

    /// Whether a change may be made now, which then counts as made.
    ///
    /// - Parameters:
    ///   - permits: Those of the work, in the order of its stages: the last says how old the content is.
    ///   - place: What is changed.
    ///   - companion: Another place under the same name that must not have been changed by later work either.
    ///   - tier: Memory or disk.
    ///   - isFromCache: Whether the content was read from this cache, and so is older than anything that took the same place
    ///     since.
    func admits(
        _ permits: [StorePermit],
        _ place: Place,
        with companion: Place? = nil,
        in tier: Tiers,
        isFromCache: Bool
    ) -> Bool {
        guard let last = permits.last, let begin = permits.map(\.number).min() else { return false }
        return state.withLock { state in
            guard let record = state.names[last.name], begin > record.floor,
                begin > state.clearing.time(of: tier), begin > record.clearing.time(of: tier),
                !isFromCache || (state.reads.areValid(since: begin) && record.reads.areValid(since: begin))
            else { return false }
            let spot = NameRecord.Spot(place: place, tier: tier)
            for other in [place, companion].compactMap(\.self).flatMap(NameRecord.Spot.all(of:)) {
                for change in record.changes[other] ?? [] where change.time > begin && change.number != last.number {
                    // What came into memory may have been read from the disk after an earlier load had stored it there.
                    if change.number > last.number || (isFromCache && other == spot) { return false }
                }
            }
            let time = state.next()
            state.names[last.name]?.note(.init(time: time, number: last.number), in: spot)
            return true
        }
    }
}

/// When the parts of a cache were cleared last.
private struct Clearing {
    private var memory: UInt64 = 0
    private var disk: UInt64 = 0

    mutating func note(_ time: UInt64, _ tiers: StoreOrder.Tiers) {
        if tiers.contains(.memory) { memory = time }
        if tiers.contains(.disk) { disk = time }
    }

    /// The latest of the times of some parts.
    func time(of tiers: StoreOrder.Tiers) -> UInt64 {
        max(tiers.contains(.memory) ? memory : 0, tiers.contains(.disk) ? disk : 0)
    }
}

/// Whether what is read from the cache may still be in it.
private struct CacheReads {
    /// Changes that were noted and are not made yet, at least not on disk.
    private var changeCount = 0
    private var lastChange: UInt64 = 0

    var isChanging: Bool { changeCount > 0 }

    mutating func beginChange() {
        changeCount += 1
    }

    mutating func endChange(at time: UInt64) {
        changeCount -= 1
        lastChange = time
    }

    func areValid(since time: UInt64) -> Bool {
        changeCount == 0 && time > lastChange
    }
}

/// What happened under the name of an original while there was work on it.
private struct NameRecord {
    struct Change {
        /// When it was made.
        let time: UInt64
        /// When the work that made it began; the highest number of all for a removal.
        let number: UInt64
    }

    /// A place in one part of a cache.
    struct Spot: Hashable {
        let place: StoreOrder.Place
        let tier: StoreOrder.Tiers

        static func all(of place: StoreOrder.Place) -> [Spot] {
            [Spot(place: place, tier: .memory), Spot(place: place, tier: .disk)]
        }
    }

    /// The numbers of the permits in use.
    var permits: Set<UInt64> = []
    /// When everything was removed last.
    var clearing = Clearing()
    var reads = CacheReads()
    /// In the order of time, and of falling numbers: a change that began later speaks for those before it.
    var changes: [Spot: [Change]] = [:]
    /// Permits up to this number are good for nothing any more.
    var floor: UInt64 = 0
    private var pruningCount = 64

    /// The most places whose changes are noted. Work that goes on while so many are changed stores nothing.
    private static let spotLimit = 4_096

    mutating func note(_ change: Change, in spot: Spot) {
        changes[spot, default: []].removeAll { $0.number <= change.number }
        changes[spot, default: []].append(change)
        guard changes.count > pruningCount else { return }
        prune(before: permits.min() ?? change.time)
        if changes.count > Self.spotLimit {
            floor = change.time
            changes = [:]
        }
        pruningCount = max(64, 2 * changes.count)
    }

    /// Forgets the changes that came before all work that goes on.
    private mutating func prune(before number: UInt64) {
        changes = changes.compactMapValues { changes in
            let later = changes.filter { $0.time > number }
            return later.isEmpty ? nil : later
        }
    }
}

/// The right of a piece of work to store something in one cache, which is given when it begins.
final class StorePermit: Sendable {
    let order: StoreOrder
    /// The name of the original.
    let name: String
    /// The order of beginnings.
    let number: UInt64

    fileprivate init(order: StoreOrder, name: String, number: UInt64) {
        self.order = order
        self.name = name
        self.number = number
    }

    deinit {
        order.end(name, number)
    }
}
