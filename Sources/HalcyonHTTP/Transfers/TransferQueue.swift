internal import HalcyonSystem

/// The entries that wait at one host, by priority, and among equals by their rank.
///
/// The entries themselves are linked, so that removing any of them and finding the first take constant time and no memory, and
/// so does adding one that comes in the order of the ranks, or nearly. `PriorityQueue` does the same for elements of any kind; in another module than its own, the compiler left
/// its generics to run time, at 12,000 instructions a transfer, a tenth of all that libcurl and this module take for a
/// small one.
///
/// An entry is retained as long as it waits; the links themselves are not counted, so that a million of them are
/// released without a recursion. The owner of a queue empties it before releasing it.
struct TransferQueue<Element> {
    typealias Entry = TransferScheduler<Element>.Entry

    // Unmanaged: only entries that wait, and are retained for it, stand here and in the entries' links.
    // (`unowned(unsafe)` would say the same, but crashes the debug builds of compiler 6.3.1 in generic types.)
    struct List {
        var first: Unmanaged<Entry>?
        var last: Unmanaged<Entry>?
    }

    /// The lists, one for each priority.
    private(set) var lists: [List]
    /// The bits of the lists that have entries.
    private(set) var urgencies: UInt = 0
    private(set) var count = 0

    init() {
        lists = Array(repeating: List(), count: LoadPriority.allCases.count)
    }

    var isEmpty: Bool { count == 0 }

    /// The most urgent entry, which stays.
    var first: Entry? {
        guard urgencies != 0 else { return nil }
        return lists[UInt.bitWidth - 1 - urgencies.leadingZeroBitCount].first?.takeUnretainedValue()
    }

    /// Adds an entry that does not wait, after those of its priority whose ranks are not higher.
    ///
    /// - Complexity: O(*k*), where *k* is its distance from the nearer end of those.
    mutating func insert(_ entry: Entry) {
        let link = Unmanaged.passRetained(entry)
        entry.isWaiting = true
        count += 1
        urgencies |= 1 << entry.urgency
        var list = lists[entry.urgency]
        (entry.previous, entry.next) = neighbours(of: entry.rank, in: list)
        if let next = entry.next { next.takeUnretainedValue().previous = link } else { list.last = link }
        if let previous = entry.previous { previous.takeUnretainedValue().next = link } else { list.first = link }
        lists[entry.urgency] = list
    }

    /// Returns the entries between which one of a rank belongs, searched from both ends at once.
    private func neighbours(of rank: Int, in list: List) -> (previous: Unmanaged<Entry>?, next: Unmanaged<Entry>?) {
        var (first, last) = (list.first, list.last)
        while let front = first?.takeUnretainedValue(), let back = last?.takeUnretainedValue() {
            if back.rank <= rank { return (last, back.next) }
            if front.rank > rank { return (front.previous, first) }
            (first, last) = (front.next, back.previous)
        }
        return (nil, nil)
    }

    /// Removes an entry that waits here.
    mutating func remove(_ entry: Entry) {
        var list = lists[entry.urgency]
        let (next, previous) = (entry.next, entry.previous)
        if let next { next.takeUnretainedValue().previous = previous } else { list.last = previous }
        if let previous { previous.takeUnretainedValue().next = next } else { list.first = next }
        lists[entry.urgency] = list
        if list.first == nil { urgencies &= ~(1 << entry.urgency) }
        entry.next = nil
        entry.previous = nil
        entry.isWaiting = false
        count -= 1
        Unmanaged.passUnretained(entry).release()
    }

    /// Removes and returns the most urgent entry.
    mutating func popFirst() -> Entry? {
        guard let first else { return nil }
        remove(first)
        return first
    }
}
