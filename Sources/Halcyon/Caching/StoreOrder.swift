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
    struct Tiers: OptionSet, Sendable {
        let rawValue: Int

        static let memory = Tiers(rawValue: 1)
        static let disk = Tiers(rawValue: 2)
        static let both: Tiers = [.memory, .disk]
    }

    private struct State {
        var names: [String: NameRecord] = [:]
        /// Numbers permits and changes in the order in which they come.
        var lastNumber: UInt64 = 0
        var clearing = Clearing()

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func begin(_ name: String) -> UInt64 {
            let number = next()
            names[name, default: NameRecord()].permits.insert(number)
            return number
        }
    }

    private let state = Lock(State())

    /// Permits that are still in use.
    var permitCount: Int { state.withLock { $0.names.values.reduce(0) { $0 + $1.permits.count } } }

    /// Begins work that may store something under the name of an original.
    func permit(for name: String) -> StorePermit {
        StorePermit(order: self, name: name, number: state.withLock { $0.begin(name) })
    }

    /// Begins work that takes the place of everything known under a name.
    func permit(replacing name: String) -> StorePermit {
        let number = state.withLock { state in
            let time = state.next()
            state.names[name]?.clearing.note(time, .both)
            return state.begin(name)
        }
        return StorePermit(order: self, name: name, number: number)
    }

    fileprivate func end(_ name: String, _ number: UInt64) {
        state.withLock { state in
            state.names[name]?.permits.remove(number)
            if state.names[name]?.permits.isEmpty == true { state.names[name] = nil }
        }
    }

    /// Notes that everything is removed.
    func removeAll(from tiers: Tiers) {
        state.withLock { state in
            let time = state.next()
            state.clearing.note(time, tiers)
        }
    }

    /// Notes that everything is removed under names that begin so.
    func removeAll(from tiers: Tiers, namesBeginningWith prefix: String) {
        state.withLock { state in
            let time = state.next()
            let names = state.names.keys.filter { $0.utf8.starts(with: prefix.utf8) }
            for name in names { state.names[name]?.clearing.note(time, tiers) }
        }
    }

    /// Notes that everything is removed under a name.
    func removeAll(from tiers: Tiers, named name: String) {
        state.withLock { state in
            let time = state.next()
            state.names[name]?.clearing.note(time, tiers)
        }
    }

    /// Notes that places under a name are emptied, in memory and on disk.
    func remove(_ places: [Place], named name: String) {
        state.withLock { state in
            let time = state.next()
            for place in places { state.names[name]?.note(.init(time: time, number: .max), in: place) }
        }
    }

    /// Whether a change may be made now, which then counts as made.
    ///
    /// - Parameters:
    ///   - permits: Those of the work, in the order of its stages: the last says how old the content is.
    ///   - place: What is changed.
    ///   - companion: Another place under the same name that must not have been changed by later work either.
    ///   - isFromCache: Whether the content was read from this cache, and so is older than anything stored since.
    func admits(
        _ permits: [StorePermit],
        _ place: Place,
        with companion: Place? = nil,
        in tiers: Tiers,
        isFromCache: Bool
    ) -> Bool {
        guard let last = permits.last, let begin = permits.map(\.number).min() else { return false }
        return state.withLock { state in
            guard let record = state.names[last.name], begin > record.floor,
                begin > state.clearing.time(of: tiers), begin > record.clearing.time(of: tiers)
            else { return false }
            for place in [place, companion] {
                guard let place, let changes = record.changes[place] else { continue }
                for change in changes where change.time > begin && change.number != last.number {
                    if isFromCache || change.number > last.number { return false }
                }
            }
            let time = state.next()
            state.names[last.name]?.note(.init(time: time, number: last.number), in: place)
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

/// What happened under the name of an original while there was work on it.
private struct NameRecord {
    struct Change {
        /// When it was made.
        let time: UInt64
        /// When the work that made it began; the highest number of all for a removal.
        let number: UInt64
    }

    /// The numbers of the permits in use.
    var permits: Set<UInt64> = []
    /// When everything was removed last.
    var clearing = Clearing()
    /// In the order of time, and of falling numbers: a change that began later speaks for those before it.
    var changes: [StoreOrder.Place: [Change]] = [:]
    /// Permits up to this number are good for nothing any more.
    var floor: UInt64 = 0
    private var pruningCount = 64

    /// The most places of which changes are noted. Work that goes on while so many are changed stores nothing.
    private static let placeLimit = 4_096

    mutating func note(_ change: Change, in place: StoreOrder.Place) {
        changes[place, default: []].removeAll { $0.number <= change.number }
        changes[place, default: []].append(change)
        guard changes.count > pruningCount else { return }
        prune(before: permits.min() ?? change.time)
        if changes.count > Self.placeLimit {
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
