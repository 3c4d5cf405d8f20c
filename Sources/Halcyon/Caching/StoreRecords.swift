/// When the parts of a cache were cleared last.
struct Clearing {
    private var memory: UInt64 = 0
    private var disk: UInt64 = 0

    mutating func note(_ time: UInt64, _ tiers: StoreOrder.Tiers) {
        if tiers.contains(.memory) { memory = max(memory, time) }
        if tiers.contains(.disk) { disk = max(disk, time) }
    }

    /// The latest of the times of some parts.
    func time(of tiers: StoreOrder.Tiers) -> UInt64 {
        max(tiers.contains(.memory) ? memory : 0, tiers.contains(.disk) ? disk : 0)
    }
}

/// Whether what is read from the cache may still be in it.
struct CacheReads {
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
struct NameRecord {
    struct Change {
        /// When it was made.
        let time: UInt64
        /// When the work began that brought what was stored; the highest number of all for a removal.
        let number: UInt64
        /// Whether the program stored it, so that no work that began before takes its place, however new what it brings is.
        var isReplacement = false
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
    private(set) var permits: Set<UInt64> = []
    /// No work that began before is shared with loads that begin from now on.
    var sharedSince: UInt64
    /// Since when forced refreshes share work, and how many go on.
    private var refreshes: (since: UInt64, count: Int) = (0, 0)
    /// When everything was removed last.
    var clearing = Clearing()
    var reads = CacheReads()
    /// In the order of time, and of falling numbers: a change that began later speaks for those before it.
    var changes: [Spot: [Change]] = [:]
    /// Permits up to this number are good for nothing any more.
    var floor: UInt64 = 0
    private var pruningCount = 64

    /// The places whose changes decide about a store in a place.
    func placesAffecting(_ place: StoreOrder.Place) -> [StoreOrder.Place] {
        switch place {
        case .image: [place]
        case .representation: [place, .original]
        case .original:
            [place] + changes.keys.map(\.place).filter { if case .representation = $0 { true } else { false } }
        }
    }

    /// Whether something changed a place that is newer than some work's content.
    func hasChange(in spot: Spot, after work: StoringWork) -> Bool {
        (changes[spot] ?? []).contains { change in
            change.time > work.since
                && (change.number > work.number || (change.isReplacement && change.number > work.begin))
        }
    }

    /// The age of what was stored last in a place on disk.
    func age(of place: StoreOrder.Place) -> ContentAge {
        let numbers = (changes[Spot(place: place, tier: .disk)] ?? []).map(\.number)
        return numbers.filter { $0 != .max }.max().map { ContentAge(number: $0, isFromCache: true) } ?? .unknown
    }

    /// The ages of an original's representations on disk, by their places.
    func agesOfOriginal() -> [StoreOrder.Place: ContentAge] {
        let places = placesAffecting(.original)
        return Dictionary(places.map { ($0, age(of: $0)) }) { first, _ in first }
    }

    init(sharedSince: UInt64) {
        self.sharedSince = sharedSince
    }

    /// Begins work.
    ///
    /// - Returns: Since when it may share work with others.
    mutating func begin(_ number: UInt64, _ kind: StorePermit.Kind) -> UInt64 {
        permits.insert(number)
        switch kind {
        case .load:
            break
        case .refresh:
            // Refreshes that go on at the same time share their work, unless there was something else between them.
            if refreshes.count == 0 || refreshes.since != sharedSince {
                sharedSince = number
                refreshes.since = number
            }
            refreshes.count += 1
        case .replacement:
            sharedSince = number
        }
        return sharedSince
    }

    /// Ends work.
    mutating func end(_ number: UInt64, _ kind: StorePermit.Kind) {
        permits.remove(number)
        if kind == .refresh { refreshes.count -= 1 }
    }

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
