/// Elements in order of urgency and, among equals, in the order in which they were lined up.
///
/// Adding, removing any element and changing its priority take constant time (amortised). Each priority has a doubly
/// linked list, because the element that is cancelled or raised stands anywhere; the links are indices into one array,
/// so that an element costs no allocation, and a million of them are released without a recursion.
///
/// For elements of this module, where the compiler specialises it; a transport's hot path has a queue of its own.
package struct PriorityQueue<Element> {
    /// Identifies an element in the queue: its slot, and the number of its insertion, which distinguishes a later user
    /// of the slot from it.
    package typealias ID = UInt64

    struct Slot {
        var element: Element?
        var insertion: UInt32
        var priority: LoadPriority
        var next: Int32
        var previous: Int32

        init(element: Element?, insertion: UInt32, priority: LoadPriority, next: Int32, previous: Int32) {
            self.element = element
            self.insertion = insertion
            self.priority = priority
            self.next = next
            self.previous = previous
        }
    }

    struct List {
        var first = PriorityQueue.none
        var last = PriorityQueue.none

        init() {}
    }

    static var none: Int32 { -1 }
    /// An empty queue keeps room for this many elements.
    static var keptCapacity: Int { 1024 }

    var slots: [Slot] = []
    /// The first of the unused slots, which are linked by `next`.
    var unused = Self.none
    /// One for each priority, as soon as there is an element.
    var lists: [List] = []
    var insertion: UInt32 = 0
    /// Elements that wait.
    package internal(set) var count = 0

    package init() {}

    /// A Boolean value that indicates whether nothing waits.
    package var isEmpty: Bool { count == 0 }

    /// Adds an element after those of its priority.
    package mutating func append(_ element: Element, priority: LoadPriority) -> ID {
        let index = take(element, priority)
        link(index)
        return id(index)
    }

    /// Adds an element before those of its priority.
    package mutating func prepend(_ element: Element, priority: LoadPriority) -> ID {
        let index = take(element, priority)
        linkFirst(index)
        return id(index)
    }

    /// The most urgent element, which stays in the queue.
    package var first: Element? { firstIndex.flatMap { slots[$0].element } }

    /// Takes the most urgent element out.
    package mutating func popFirst() -> Element? {
        firstIndex.flatMap { takeOut($0) }
    }

    /// Takes one element out; `nil` if it no longer waits.
    package mutating func remove(_ id: ID) -> Element? {
        index(id).flatMap { takeOut($0) }
    }

    /// Moves an element after those of another priority; does nothing if it no longer waits.
    package mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard let index = index(id), slots[index].priority != priority else { return }
        unlink(index)
        slots[index].priority = priority
        link(index)
    }

    var firstIndex: Int? {
        guard count > 0 else { return nil }
        for list in lists.reversed() where list.first != Self.none { return Int(list.first) }
        return nil
    }

    func id(_ index: Int) -> ID {
        ID(slots[index].insertion) << 32 | ID(index)
    }

    func index(_ id: ID) -> Int? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].element != nil, slots[index].insertion == UInt32(id >> 32) else {
            return nil
        }
        return index
    }

    mutating func take(_ element: Element, _ priority: LoadPriority) -> Int {
        if lists.isEmpty { lists = Array(repeating: List(), count: LoadPriority.allCases.count) }
        insertion &+= 1
        count += 1
        let slot = Slot(
            element: element,
            insertion: insertion,
            priority: priority,
            next: Self.none,
            previous: Self.none
        )
        guard unused != Self.none else {
            slots.append(slot)
            return slots.count - 1
        }
        let index = Int(unused)
        unused = slots[index].next
        slots[index] = slot
        return index
    }

    mutating func takeOut(_ index: Int) -> Element? {
        unlink(index)
        let element = slots[index].element
        slots[index].element = nil
        slots[index].next = unused
        unused = Int32(index)
        count -= 1
        if count == 0, slots.count > Self.keptCapacity {
            // The memory of a burst is not held for ever. Insertions count on, so no identifier comes again.
            slots = []
            unused = Self.none
        }
        return element
    }

    /// Links a slot after those of its priority.
    mutating func link(_ index: Int) {
        let priority = slots[index].priority.rawValue
        let previous = lists[priority].last
        slots[index].next = Self.none
        slots[index].previous = previous
        lists[priority].last = Int32(index)
        if previous == Self.none {
            lists[priority].first = Int32(index)
        } else {
            slots[Int(previous)].next = Int32(index)
        }
    }

    /// Puts a slot before those of its priority.
    mutating func linkFirst(_ index: Int) {
        let priority = slots[index].priority.rawValue
        let next = lists[priority].first
        slots[index].next = next
        slots[index].previous = Self.none
        lists[priority].first = Int32(index)
        if next == Self.none {
            lists[priority].last = Int32(index)
        } else {
            slots[Int(next)].previous = Int32(index)
        }
    }

    mutating func unlink(_ index: Int) {
        let priority = slots[index].priority.rawValue
        let next = slots[index].next
        let previous = slots[index].previous
        if next == Self.none { lists[priority].last = previous } else { slots[Int(next)].previous = previous }
        if previous == Self.none { lists[priority].first = next } else { slots[Int(previous)].next = next }
    }

    /// Checks that lists, slots and count agree. Takes time in proportion to the number of slots.
    package func checkInvariants() {
        var linked = 0
        for (priority, list) in lists.enumerated() {
            var previous = Self.none
            var index = list.first
            while index != Self.none {
                let slot = slots[Int(index)]
                precondition(slot.element != nil && slot.priority.rawValue == priority && slot.previous == previous)
                linked += 1
                previous = index
                index = slot.next
            }
            precondition(list.last == previous)
        }
        precondition(linked == count && slots.count(where: { $0.element != nil }) == count)
    }
}
