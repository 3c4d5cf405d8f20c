internal import HalcyonSystem

extension WorkCoalescer {
    /// A caller that waits for the result of work. A class, as ``Entry``.
    final class Waiter {
        let continuation: CheckedContinuation<Value, any Error>
        /// Has the function that gets reports, and the priority that the waiter requests, which may change at any moment.
        let context: WorkContext
        private let observer: PriorityBox.ObserverID
        /// The priority that is counted for it.
        var priority: LoadPriority

        init(
            _ continuation: CheckedContinuation<Value, any Error>,
            _ context: WorkContext,
            _ observer: PriorityBox.ObserverID,
            _ priority: LoadPriority
        ) {
            self.continuation = continuation
            self.context = context
            self.observer = observer
            self.priority = priority
        }

        func stopObserving() { context.priority.removeObserver(observer) }
    }

    /// A piece of work in progress.
    final class Node: Sendable {
        let id: UInt64
        /// The ``WorkNumber`` of the load that has begun it.
        let number: UInt64
        let priority: PriorityBox

        init(id: UInt64, number: UInt64, priority: LoadPriority) {
            self.id = id
            self.number = number
            self.priority = PriorityBox(priority)
        }
    }

    /// A piece of work with its task and its waiters.
    ///
    /// A class: each look at a value of a dictionary copies it, and all the references of this one took 5 % of a load.
    ///
    /// Unchecked: it is used under the table's lock alone, and after its removal by the thread that removed it, but for
    /// ``hasEnded``, which is then no longer changed.
    final class Entry: @unchecked Sendable {
        let node: Node
        /// A Boolean value that indicates whether it was removed from the table.
        var hasEnded = false
        var task: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
        /// The number of waiters at each priority, so that the highest is found without a walk through ten thousand.
        private var priorityCounts = PriorityCounts()
        var status = WorkStatus()

        init(_ node: Node) {
            self.node = node
        }

        /// Releases what the waiters were told, once the entry has been removed: the work may keep its context, and with
        /// that the entry, for longer.
        func empty() {
            waiters = [:]
            status = WorkStatus()
        }

        /// Returns the functions by which the waiters get an activity. Of those that are left, the first to come counts as
        /// the one that has begun the work.
        func functions(for activity: LoadActivity) -> [@Sendable (WorkReport) -> Void] {
            let first = waiters.keys.min()
            return waiters.map { id, waiter -> @Sendable (WorkReport) -> Void in
                if id == first { return waiter.context.report }
                return { [report = waiter.context.report] _ in report(.activity(activity, isShared: true)) }
            }
        }

        /// Changes the counts and sets the highest priority for the work.
        ///
        /// - Returns: The priority, if it changed: its observers are to be called once the table's lock is released.
        func changePriority(_ change: (inout PriorityCounts) -> Void) -> PriorityBox? {
            change(&priorityCounts)
            return node.priority.set(priorityCounts.highest) ? node.priority : nil
        }
    }

    /// The location of an entry in the table.
    enum Location {
        case current(Dictionary<HashedKey, Entry>.Index)
        case replaced(Dictionary<UInt64, Entry>.Index)
    }

    /// The work in progress.
    struct Table {
        /// The work that can be joined.
        var entries: [HashedKey: Entry] = [:]
        /// The work that newer work has replaced, by the number of its node; mostly none.
        var replaced: [UInt64: Entry] = [:]
        var nextID: UInt64 = 0

        /// Returns the entry of work that may be joined, or a new one that replaces it.
        mutating func join(
            _ key: HashedKey,
            _ joining: JoinRule,
            node: (_ id: UInt64) -> Node
        ) -> (index: Dictionary<HashedKey, Entry>.Index, isNew: Bool)? {
            let index = entries.index(forKey: key)
            if let index, joining.admits(entries.values[index].node.number) { return (index, false) }
            nextID += 1
            let entry = Entry(node(nextID))
            if let index {
                let older = entries.values[index]
                entries.values[index] = entry
                replaced[older.node.id] = older
            } else {
                entries[key] = entry
            }
            return entries.index(forKey: key).map { ($0, true) }
        }

        /// Returns the location of the entry that has a waiter.
        func location(of waiterID: UInt64, _ key: HashedKey) -> Location? {
            if let index = entries.index(forKey: key), entries.values[index].waiters[waiterID] != nil {
                return .current(index)
            }
            return replaced.indices.first { replaced.values[$0].waiters[waiterID] != nil }.map { .replaced($0) }
        }

        /// Returns the location of a node's entry; `nil` if the work has ended.
        func location(of node: Node, _ key: HashedKey) -> Location? {
            if let index = entries.index(forKey: key), entries.values[index].node === node { return .current(index) }
            return replaced.index(forKey: node.id).map { .replaced($0) }
        }

        /// Lends an entry to be changed.
        func change<Result>(_ location: Location, _ body: (Entry) -> Result) -> Result {
            switch location {
            case .current(let index): body(entries.values[index])
            case .replaced(let index): body(replaced.values[index])
            }
        }

        /// Removes an entry, and its key in the table if that is of the same entry.
        mutating func remove(_ location: Location) -> Removed {
            switch location {
            case .current(let index):
                let (key, entry) = entries.remove(at: index)
                entry.hasEnded = true
                return (key, entry)
            case .replaced(let index):
                let entry = replaced.remove(at: index).value
                entry.hasEnded = true
                return (nil, entry)
            }
        }
    }

    /// An entry that was removed. The key in the table may be the last reference to values of the user, so it is
    /// released after the lock.
    typealias Removed = (key: HashedKey?, entry: Entry)
}

/// The number of waiters at each priority, without an array for each piece of work.
struct PriorityCounts {
    private var counts = SIMD8<Int32>()

    subscript(priority: LoadPriority) -> Int32 {
        get { counts[priority.rawValue] }
        set { counts[priority.rawValue] = newValue }
    }

    /// The highest priority of a waiter; the lowest if there is none.
    var highest: LoadPriority {
        var value = LoadPriority.veryHigh.rawValue
        while value > 0, counts[value] <= 0 { value -= 1 }
        return LoadPriority(rawValue: value) ?? .veryLow
    }
}
