import HalcyonSystem
import Testing

@Suite("A priority queue")
struct PriorityQueueTests {
    @Test("gives out the most urgent first, and equals in their order")
    func order() {
        var queue = PriorityQueue<String>()
        _ = queue.append("normal 1", priority: .normal)
        _ = queue.append("low", priority: .low)
        _ = queue.append("high", priority: .high)
        _ = queue.append("normal 2", priority: .normal)
        #expect(drained(&queue) == ["high", "normal 1", "normal 2", "low"])
    }

    @Test("moves an element behind those of its new priority")
    func change() {
        var queue = PriorityQueue<String>()
        let first = queue.append("a", priority: .low)
        _ = queue.append("b", priority: .high)
        let third = queue.append("c", priority: .high)
        queue.setPriority(.high, of: first)
        queue.setPriority(.veryLow, of: third)
        #expect(drained(&queue) == ["b", "a", "c"])
    }

    @Test("does not take an element for an earlier one in its place")
    func staleIdentifiers() {
        var queue = PriorityQueue<Int>()
        let stale = (0..<3000).map { queue.append($0, priority: .normal) }
        for id in stale { _ = queue.remove(id) }
        _ = (0..<3000).map { queue.append($0, priority: .normal) }
        for id in stale {
            let removed = queue.remove(id)
            #expect(removed == nil)
            queue.setPriority(.high, of: id)
        }
        #expect(queue.count == 3000)
        #expect(queue.first == 0)
        queue.checkInvariants()
    }

    @Test("lets go of two hundred thousand elements, and of each as it leaves")
    func release() {
        final class Token {}
        var queue = PriorityQueue<Token>()
        for _ in 0..<200_000 { _ = queue.append(Token(), priority: .normal) }
        queue = PriorityQueue()
        var token: Token? = Token()
        weak let leaving = token
        let id = token.map { queue.append($0, priority: .low) }
        _ = queue.append(Token(), priority: .low)
        token = nil
        if let id { _ = queue.remove(id) }
        #expect(leaving == nil)
    }

    @Test("forgets an element that is removed, once")
    func removal() {
        var queue = PriorityQueue<String>()
        let first = queue.append("a", priority: .normal)
        _ = queue.append("b", priority: .normal)
        #expect(queue.remove(first) == "a")
        #expect(queue.remove(first) == nil)
        queue.setPriority(.high, of: first)
        #expect(queue.count == 1)
        #expect(queue.first == "b")
        #expect(drained(&queue) == ["b"])
    }

    @Test("behaves like a sorted list under random changes")
    func model() {
        var generator = SplitMix(state: 7)
        var queue = PriorityQueue<Int>()
        /// The elements in the order in which they took their place, with their tickets.
        var model: [(id: PriorityQueue<Int>.ID, element: Int, priority: LoadPriority)] = []
        for step in 0..<20_000 {
            let priority = LoadPriority.allCases[Int(generator.next() % 5)]
            switch generator.next() % 5 {
            case 0, 1:
                model.append((queue.append(step, priority: priority), step, priority))
            case 2 where !model.isEmpty:
                let index = Int(generator.next() % UInt64(model.count))
                var entry = model[index]
                queue.setPriority(priority, of: entry.id)
                if entry.priority != priority {
                    model.remove(at: index)
                    entry.priority = priority
                    model.append(entry)
                }
            case 3 where !model.isEmpty:
                let index = Int(generator.next() % UInt64(model.count))
                #expect(queue.remove(model.remove(at: index).id) != nil)
            default:
                let highest = model.map(\.priority).max()
                let index = model.firstIndex { $0.priority == highest }
                #expect(queue.popFirst() == index.map { model.remove(at: $0).element })
            }
            #expect(queue.count == model.count)
            if step % 500 == 0 { queue.checkInvariants() }
        }
    }

    private func drained<Element>(_ queue: inout PriorityQueue<Element>) -> [Element] {
        var elements: [Element] = []
        while let element = queue.popFirst() { elements.append(element) }
        return elements
    }
}

/// A generator that gives the same numbers in every run (Steele, Lea and Flood 2014).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
