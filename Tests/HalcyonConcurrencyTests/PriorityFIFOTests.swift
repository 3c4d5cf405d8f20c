import HalcyonConcurrency
import Testing

@Suite("A priority queue")
struct PriorityFIFOTests {
    @Test("gives out the most urgent first, and equals in their order")
    func order() {
        var queue = PriorityFIFO<String>()
        _ = queue.append("normal 1", priority: .normal)
        _ = queue.append("low", priority: .low)
        _ = queue.append("high", priority: .high)
        _ = queue.append("normal 2", priority: .normal)
        #expect(drained(&queue) == ["high", "normal 1", "normal 2", "low"])
    }

    @Test("moves an element behind those of its new priority")
    func change() {
        var queue = PriorityFIFO<String>()
        let first = queue.append("a", priority: .low)
        _ = queue.append("b", priority: .high)
        let third = queue.append("c", priority: .high)
        queue.setPriority(.high, of: first)
        queue.setPriority(.veryLow, of: third)
        #expect(drained(&queue) == ["b", "a", "c"])
    }

    @Test("forgets an element that is removed, once")
    func removal() {
        var queue = PriorityFIFO<String>()
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
        var queue = PriorityFIFO<Int>()
        /// The elements in the order in which they took their place, with their tickets.
        var model: [(id: PriorityFIFO<Int>.ID, element: Int, priority: LoadPriority)] = []
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
        }
    }

    private func drained<Element>(_ queue: inout PriorityFIFO<Element>) -> [Element] {
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
