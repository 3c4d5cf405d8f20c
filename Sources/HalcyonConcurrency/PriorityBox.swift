/// A priority that can change while the work it belongs to waits or runs, and tells those who care.
package final class PriorityBox: Sendable {
    /// Identifies an observer, to remove it.
    package typealias ObserverID = Int

    private struct State {
        var value: LoadPriority
        var observers: [ObserverID: @Sendable (LoadPriority) -> Void] = [:]
        var nextID: ObserverID = 0
    }

    private let state: Lock<State>

    package init(_ value: LoadPriority) {
        state = Lock(State(value: value))
    }

    /// The present priority.
    package var value: LoadPriority {
        state.withLock { $0.value }
    }

    /// Changes the priority; observers are told after the change, outside the lock, if it differs.
    package func update(_ value: LoadPriority) {
        let observers = state.withLock { state -> [@Sendable (LoadPriority) -> Void] in
            guard state.value != value else { return [] }
            state.value = value
            return Array(state.observers.values)
        }
        for observer in observers {
            observer(value)
        }
    }

    /// Calls `observer` on each later change, until it is removed. It is not called for the present value.
    package func addObserver(_ observer: @escaping @Sendable (LoadPriority) -> Void) -> ObserverID {
        state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.observers[id] = observer
            return id
        }
    }

    /// Ends what ``addObserver(_:)`` began. A call that is already under way on another thread may still finish.
    package func removeObserver(_ id: ObserverID) {
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }
}
