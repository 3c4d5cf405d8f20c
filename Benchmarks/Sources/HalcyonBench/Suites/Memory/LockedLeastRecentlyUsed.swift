internal import Synchronization

/// The cache that programs write for themselves: a dictionary of the nodes of a doubly linked list, which has what was
/// used last in front, under one mutex.
final class LockedLeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Node {
        let key: Key
        var value: Value
        var next: Node?
        unowned(unsafe) var previous: Node?

        init(_ key: Key, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    private struct State {
        var nodes: [Key: Node] = [:]
        var first: Node?
        // The one before it, or the dictionary, keeps it alive.
        unowned(unsafe) var last: Node?
    }

    private let countLimit: Int
    private let state = Mutex(State())

    init(countLimit: Int) {
        self.countLimit = countLimit
    }

    deinit {
        // Node by node: a long list that lets go of its first one would free the rest recursively.
        state.withLock { state in
            while let node = state.first { state.first = node.next.take() }
        }
    }

    func value(for key: Key) -> Value? {
        state.withLock { state in
            guard let node = state.nodes[key] else { return nil }
            Self.unlink(node, from: &state)
            Self.link(node, to: &state)
            return node.value
        }
    }

    func insert(_ value: Value, for key: Key) {
        state.withLock { state in
            if let node = state.nodes[key] {
                node.value = value
                Self.unlink(node, from: &state)
                Self.link(node, to: &state)
                return
            }
            if state.nodes.count >= countLimit, let last = state.last {
                Self.unlink(last, from: &state)
                state.nodes[last.key] = nil
            }
            let node = Node(key, value)
            state.nodes[key] = node
            Self.link(node, to: &state)
        }
    }

    func remove(_ key: Key) {
        state.withLock { state in
            guard let node = state.nodes.removeValue(forKey: key) else { return }
            Self.unlink(node, from: &state)
        }
    }

    private static func link(_ node: Node, to state: inout State) {
        node.next = state.first
        state.first?.previous = node
        state.first = node
        if state.last == nil { state.last = node }
    }

    private static func unlink(_ node: Node, from state: inout State) {
        let (previous, next) = (node.previous, node.next)
        if let previous { previous.next = next } else { state.first = next }
        if let next { next.previous = previous } else { state.last = previous }
        node.previous = nil
        node.next = nil
    }
}
