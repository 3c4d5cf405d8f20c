/// A queue that gives out the most urgent element first and, among equals, the one that came first.
///
/// Insertion, removal and a change of priority take constant time (amortised): an element that was moved or removed
/// leaves a stale ticket behind, which is skipped when its turn comes and swept when stale ones prevail.
package struct PriorityFIFO<Element> {
    /// Identifies an element in the queue.
    package typealias ID = UInt64

    private struct Ticket {
        let id: ID
        let generation: UInt32
    }

    private struct Entry {
        let element: Element
        var priority: LoadPriority
        var generation: UInt32
    }

    private var entries: [ID: Entry] = [:]
    private var buckets: [[Ticket]] = Array(repeating: [], count: LoadPriority.allCases.count)
    /// The first ticket of each bucket that has not been given out.
    private var heads: [Int] = Array(repeating: 0, count: LoadPriority.allCases.count)
    private var nextID: ID = 0
    private var ticketCount = 0

    package init() {}

    /// Elements that wait.
    package var count: Int { entries.count }

    /// Whether nothing waits.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds an element behind those of its priority.
    package mutating func append(_ element: Element, priority: LoadPriority) -> ID {
        let id = nextID
        nextID += 1
        entries[id] = Entry(element: element, priority: priority, generation: 0)
        appendTicket(Ticket(id: id, generation: 0), priority: priority)
        return id
    }

    /// The most urgent element, which stays in the queue. Stale tickets before it are dropped.
    package var first: Element? {
        mutating get { firstTicket().flatMap { entries[$0.id]?.element } }
    }

    /// Takes the most urgent element out.
    package mutating func popFirst() -> Element? {
        guard let ticket = firstTicket() else { return nil }
        return entries.removeValue(forKey: ticket.id)?.element
    }

    private mutating func firstTicket() -> Ticket? {
        for bucket in buckets.indices.reversed() {
            while heads[bucket] < buckets[bucket].count {
                let ticket = buckets[bucket][heads[bucket]]
                if let entry = entries[ticket.id], entry.generation == ticket.generation { return ticket }
                heads[bucket] += 1
                ticketCount -= 1
                // A queue that never runs empty must not keep what it has given out.
                if heads[bucket] >= 1024, heads[bucket] * 2 >= buckets[bucket].count {
                    buckets[bucket].removeFirst(heads[bucket])
                    heads[bucket] = 0
                }
            }
            buckets[bucket].removeAll(keepingCapacity: buckets[bucket].count <= 1024)
            heads[bucket] = 0
        }
        return nil
    }

    /// Takes one element out; `nil` if it no longer waits.
    package mutating func remove(_ id: ID) -> Element? {
        let element = entries.removeValue(forKey: id)?.element
        sweepIfNeeded()
        return element
    }

    /// Puts an element behind those of another priority; does nothing if it no longer waits.
    package mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard var entry = entries[id], entry.priority != priority else { return }
        entry.priority = priority
        entry.generation &+= 1
        entries[id] = entry
        appendTicket(Ticket(id: id, generation: entry.generation), priority: priority)
        sweepIfNeeded()
    }

    private mutating func appendTicket(_ ticket: Ticket, priority: LoadPriority) {
        buckets[priority.rawValue].append(ticket)
        ticketCount += 1
    }

    private mutating func sweepIfNeeded() {
        guard ticketCount > 2 * entries.count + 64 else { return }
        for bucket in buckets.indices {
            buckets[bucket] = buckets[bucket][heads[bucket]...].filter { ticket in
                entries[ticket.id]?.generation == ticket.generation
            }
            heads[bucket] = 0
        }
        ticketCount = entries.count
    }
}
