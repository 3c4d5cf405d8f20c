/// Loads of which not all names are known yet, such as those of a file that has to be looked at first, or of sources
/// that are tried only if others fail; and what was removed or replaced by name since they began.
///
/// There are no permits for a name that is not known, so that what happens to it is noted here, until it is known.
struct OpenLoads {
    /// A removal, or a store of the program's own, under some names.
    private struct Change {
        let scope: StoreOrder.Scope
        let tiers: StoreOrder.Tiers
        let time: UInt64
        let isReplacement: Bool

        func covers(_ name: ExactString) -> Bool {
            switch scope {
            case .names(let prefix): name.text.utf8.starts(with: prefix.utf8)
            case .name(let other): name == ExactString(other)
            // Recorded in the order's own state, which every load asks.
            case .everything: false
            }
        }
    }

    /// The maximum number of changes that are noted. Loads that go on while there are more store nothing under names
    /// that were not known then.
    static let removalLimit = 1_024

    /// The ``WorkNumber`` of each load's beginning.
    private var beginnings: Set<UInt64> = []
    /// The changes in the order of time.
    private var changes: [Change] = []
    /// The number up to which loads began before changes that are not noted any more.
    private var floor: UInt64 = 0

    var count: Int { beginnings.count }

    mutating func begin(_ number: UInt64) {
        beginnings.insert(number)
    }

    mutating func end(_ number: UInt64) {
        beginnings.remove(number)
        if beginnings.isEmpty { changes = [] }
    }

    /// Notes a removal or a replacement.
    mutating func note(
        _ scope: StoreOrder.Scope,
        _ tiers: StoreOrder.Tiers,
        at time: UInt64,
        isReplacement: Bool = false
    ) {
        guard let oldest = beginnings.min() else { return }
        if changes.count >= Self.removalLimit { changes.removeAll { $0.time < oldest } }
        if changes.count >= Self.removalLimit {
            floor = time
            changes = []
        }
        changes.append(Change(scope: scope, tiers: tiers, time: time, isReplacement: isReplacement))
    }

    /// Returns the changes under a name that has just become known, since a load began.
    func changes(of name: ExactString, since begun: UInt64) -> MissedChanges {
        if begun <= floor { return MissedChanges(tiers: .all, isReplaced: true) }
        return changes.reduce(into: MissedChanges()) { missed, change in
            guard change.time > begun, change.covers(name) else { return }
            missed.add(MissedChanges(tiers: change.tiers, isReplaced: change.isReplacement))
        }
    }
}

/// The removals and stores under a name that work missed, because the name was not known to it. They concern that work
/// alone: other work of the name has permits that count.
struct MissedChanges: Sendable {
    /// The parts of the cache in which the work may store nothing.
    var tiers: StoreOrder.Tiers = []
    /// A Boolean value that indicates whether the program stored something of its own, which older work does not remove
    /// either.
    var isReplaced = false

    mutating func add(_ other: MissedChanges) {
        tiers.formUnion(other.tiers)
        isReplaced = isReplaced || other.isReplaced
    }
}

/// A load of which not all names are known yet, for as long as this lives.
final class OpenLoad: Sendable {
    private let order: StoreOrder
    private let number: UInt64

    init(order: StoreOrder, number: UInt64) {
        self.order = order
        self.number = number
    }

    deinit {
        order.endOpenLoad(number)
    }
}
