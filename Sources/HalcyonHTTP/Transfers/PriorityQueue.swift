internal import HalcyonConcurrency

/// Elements in order of priority, first in first out within one. Adding, removing any element and changing its priority
/// take constant time.
///
/// Each priority has a doubly linked list, because the element that is cancelled or raised stands anywhere.
struct PriorityQueue<Element> {
    /// An element's place, to remove it by.
    final class Node {
        let element: Element
        let priority: LoadPriority
        /// Orders elements of one priority across several queues.
        let sequence: Int
        fileprivate var next: Node?
        /// Unowned, since the list owns its nodes forwards; it is reset before the node in front goes away.
        fileprivate unowned(unsafe) var previous: Node?

        init(_ element: Element, priority: LoadPriority, sequence: Int) {
            self.element = element
            self.priority = priority
            self.sequence = sequence
        }

        /// Whether this comes before `other`.
        func precedes(_ other: Node) -> Bool {
            priority != other.priority ? priority > other.priority : sequence < other.sequence
        }
    }

    private struct List {
        var first: Node?
        var last: Node?
    }

    private var lists = [List](repeating: List(), count: LoadPriority.allCases.count)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element whose turn it is.
    var first: Node? {
        guard count > 0 else { return nil }
        for list in lists.reversed() {
            if let first = list.first { return first }
        }
        return nil
    }

    /// Adds `node` as the last of its priority. It must be in no queue.
    mutating func append(_ node: Node) {
        let index = node.priority.rawValue
        node.previous = lists[index].last
        if let last = lists[index].last {
            last.next = node
        } else {
            lists[index].first = node
        }
        lists[index].last = node
        count += 1
    }

    /// Takes `node`, which must be in this queue, out of it.
    mutating func remove(_ node: Node) {
        let index = node.priority.rawValue
        let next = node.next
        let previous = node.previous
        next?.previous = previous
        if let previous {
            previous.next = next
        } else {
            lists[index].first = next
        }
        if next == nil {
            lists[index].last = previous
        }
        node.next = nil
        node.previous = nil
        count -= 1
    }
}
