/// The times at which the parts of a cache were cleared last.
struct Clearing {
    private var memory: UInt64 = 0
    private var disk: UInt64 = 0

    mutating func note(_ time: UInt64, _ tiers: StoreOrder.Tiers) {
        if tiers.contains(.memory) { memory = max(memory, time) }
        if tiers.contains(.disk) { disk = max(disk, time) }
    }

    /// Returns the latest of the times of some parts.
    func time(of tiers: StoreOrder.Tiers) -> UInt64 {
        max(tiers.contains(.memory) ? memory : 0, tiers.contains(.disk) ? disk : 0)
    }
}

/// The removals that decide whether content read from the cache may still be in it.
struct CacheReads {
    /// The number of changes that were recorded and are not made yet, at least not on disk.
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

/// The changes of the items under the name of an original, for as long as there is work on it.
struct NameRecord {
    struct Change {
        /// The time at which it was made.
        let time: UInt64
        /// The number of the work that brought the content.
        let number: UInt64
        /// A Boolean value that indicates whether the program stored the content, so that no work that began before
        /// replaces it, however new its own content is.
        var isReplacement = false

        /// Returns a change that is newer than the content of each work than which one of two changes is.
        func merged(with other: Change) -> Change {
            Change(
                time: max(time, other.time),
                number: max(number, other.number),
                isReplacement: isReplacement || other.isReplacement
            )
        }

        /// Returns whether it is newer than the content of some work.
        func isNewer(than work: StoringWork) -> Bool {
            time > work.since && (number > work.number || (isReplacement && number > work.begin))
        }
    }

    /// The location of an item in one part of a cache.
    struct Location: Hashable {
        let item: StoreOrder.Item
        let tier: StoreOrder.Tiers

        static func all(of item: StoreOrder.Item) -> [Location] {
            [Location(item: item, tier: .memory), Location(item: item, tier: .disk)]
        }
    }

    /// The numbers of the permits in use.
    private(set) var permits = PermitNumbers()
    /// The number before which work is not shared with loads that begin from now on.
    var sharedSince: UInt64
    /// The number since which forced refreshes share work, and how many are in progress.
    private var refreshes: (since: UInt64, count: Int) = (0, 0)
    /// The times at which everything was removed last.
    var clearing = Clearing()
    var reads = CacheReads()
    /// In the order of time, and of falling numbers: a change by newer work stands for the earlier ones.
    var changes: [Location: [Change]] = [:]
    /// Stands for the changes that are not recorded any more, at all locations; `nil` if there are none.
    private var forgotten: Change?
    /// The answers by which the server did not have the original any more, in the order of ``changes``. They count as
    /// changes of everything under the name.
    private var absences: [Change] = []
    /// The highest number of the permits that are not valid any more.
    var floor: UInt64 = 0
    private var pruningCount = 64

    init(sharedSince: UInt64) {
        self.sharedSince = sharedSince
    }

    /// Returns the items whose changes decide whether an item may be stored.
    func itemsAffecting(_ item: StoreOrder.Item) -> [StoreOrder.Item] {
        switch item {
        case .image: [item]
        case .representation: [item, .original]
        case .original:
            [item] + changes.keys.map(\.item).filter { if case .representation = $0 { true } else { false } }
        }
    }

    /// Returns whether a location has a change that is newer than the content of some work.
    func hasChange(at location: Location, after work: StoringWork) -> Bool {
        forgotten?.isNewer(than: work) == true || (changes[location] ?? []).contains { $0.isNewer(than: work) }
    }

    /// Returns whether the server did not have the original any more when newer work asked it.
    func isAbsent(after work: StoringWork) -> Bool { absences.contains { $0.isNewer(than: work) } }

    /// Records that the server does not have the original any more.
    mutating func noteAbsence(_ change: Change) {
        absences.removeAll { $0.number <= change.number }
        absences.append(change)
    }

    /// Returns the age of an item on disk, or in memory.
    func age(of item: StoreOrder.Item, in tier: StoreOrder.Tiers = .disk) -> ContentAge {
        let numbers = (changes[Location(item: item, tier: tier)] ?? []).map(\.number)
        return numbers.max().map { ContentAge(number: $0, isFromCache: true) } ?? .unknown
    }

    /// Returns the ages of an original's representations on disk, by their items.
    func agesOfOriginal() -> [StoreOrder.Item: ContentAge] {
        let items = itemsAffecting(.original)
        return Dictionary(items.map { ($0, age(of: $0)) }) { first, _ in first }
    }

    /// Begins work.
    ///
    /// - Returns: The number since which it may share work with others.
    mutating func begin(_ number: UInt64, _ kind: StorePermit.Kind) -> UInt64 {
        permits.insert(number)
        switch kind {
        case .load:
            break
        case .refresh:
            // Refreshes in progress at the same time share their work, unless something changed between them.
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

    /// The most locations whose changes are recorded. Work in progress while more of them change stores nothing.
    private static let locationLimit = 4_096

    /// Records a change.
    mutating func note(_ change: Change, at location: Location) {
        changes[location, default: []].removeAll { $0.number <= change.number }
        changes[location, default: []].append(change)
        guard changes.count > pruningCount else { return }
        prune(before: permits.min() ?? change.time)
        if changes.count > Self.locationLimit {
            floor = change.time
            changes = [:]
        }
        pruningCount = max(64, 2 * changes.count)
    }

    /// Forgets the changes that came before all work in progress, but for what they say about older transfers: work that
    /// began after a change may wait for one that began before it.
    private mutating func prune(before number: UInt64) {
        changes = changes.compactMapValues { changes in
            for change in changes where change.time <= number {
                forgotten = forgotten.map { $0.merged(with: change) } ?? change
            }
            let later = changes.filter { $0.time > number }
            return later.isEmpty ? nil : later
        }
    }
}
