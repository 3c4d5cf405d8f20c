/// Loads of which not all names are known yet, such as those of a file that has to be looked at first, or of sources that are
/// tried only if others fail; and what was removed or replaced by name since they began.
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

    /// The maximum number of changes that are noted. Loads that go on while there are more store nothing under names that
    /// were not known then.
    static let removalLimit = 1_024

    /// The ``WorkNumber`` of each load's beginning.
    private var beginnings: Set<UInt64> = []
    /// In the order of time.
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

    /// Adds to the record of a name that has just become known the changes since a load began.
    func noteChanges(of name: ExactString, since begun: UInt64, in record: inout NameRecord) {
        if begun <= floor { record.floor = max(record.floor, floor) }
        for change in changes where change.time > begun && change.covers(name) {
            record.clearing.note(change.time, change.tiers)
            // What is there is the program's own, which older work does not remove either.
            if change.isReplacement { record.floor = max(record.floor, change.time) }
        }
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
