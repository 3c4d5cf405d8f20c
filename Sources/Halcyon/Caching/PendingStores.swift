internal import HalcyonStore
internal import HalcyonSystem

/// The stores in all tiers, and the removals below the disk, that are in progress.
struct PendingStores {
    /// A change in progress.
    struct Change {
        let tier: Int
        let scope: TierScope
        let task: Task<Void, Never>
        /// The priority of the change, which those that wait for it raise.
        let priority: PriorityBox
        let byteCount: Int
    }

    private struct Place: Hashable {
        let tier: Int
        let name: ExactString
    }

    private var changes: [UInt64: Change] = [:]
    /// The numbers of the changes under each name.
    private var numbers: [Place: Set<UInt64>] = [:]
    /// The numbers of those that are about more than one name.
    private var wide: Set<UInt64> = []
    private var lastNumber: UInt64 = 0
    /// The bytes that wait in memory to be stored on disk, and below.
    private(set) var byteCount = (onDisk: 0, below: 0)

    /// All changes.
    var all: [Change] { Array(changes.values) }

    /// Returns the changes in a tier that a look-up of a key waits for, with their numbers.
    ///
    /// On disk, that are those of the entry, or of an original's other representations, and stores by the program, which
    /// are about the whole name. Below, all of the name.
    func changes(of key: CacheKey, in tier: Int) -> [(number: UInt64, change: Change)] {
        // Most look-ups find nothing in progress.
        if changes.isEmpty { return [] }
        let numbers = (numbers[Place(tier: tier, name: ExactString(key.name))] ?? []).union(wide)
        return numbers.compactMap { number in
            guard let change = changes[number], change.tier == tier else { return nil }
            guard tier == 0, case .entry(let other, _) = change.scope else { return (number, change) }
            return other == key || other.isOriginal && key.isOriginal ? (number, change) : nil
        }
    }

    /// Returns the changes in a tier that one which comes after them has to wait for.
    func changes(before scope: TierScope, in tier: Int) -> [Change] {
        guard let name = scope.name else { return changes.values.filter { $0.tier == tier } }
        return changes(of: CacheKey(name: name), in: tier).map(\.change)
    }

    /// Returns a number for a change that is about to be added.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a change.
    mutating func add(_ change: Change, number: UInt64) {
        changes[number] = change
        note(change) { _ = $0.insert(number) }
    }

    /// Removes a change that has ended.
    mutating func remove(_ number: UInt64) {
        if let ended = changes.removeValue(forKey: number) { note(ended, -1) { _ = $0.remove(number) } }
    }

    /// Changes the numbers under a change's name, and counts its bytes.
    private mutating func note(_ change: Change, _ sign: Int = 1, _ body: (inout Set<UInt64>) -> Void) {
        if change.tier == 0 {
            byteCount.onDisk += sign * change.byteCount
        } else {
            byteCount.below += sign * change.byteCount
        }
        guard let name = change.scope.name else { return body(&wide) }
        let place = Place(tier: change.tier, name: ExactString(name))
        body(&numbers[place, default: []])
        if numbers[place]?.isEmpty == true { numbers[place] = nil }
    }
}

extension TierScope {
    /// The one name that it is about; `nil` if it may be about several.
    var name: String? {
        switch self {
        case .entry(let key, _): key.name
        case .name(let name, _, _): name
        // Some of what was made of one original.
        case .names(let prefix) where prefix.utf8.contains(0): CacheKey(text: prefix).name
        case .names, .everything: nil
        }
    }
}

extension CacheKey {
    /// `true` for an original, in any of its representations.
    var isOriginal: Bool { variant?.hasPrefix(ParsedDiskKey.slotMark) ?? true }
}
