/// A priority that can change while the work it belongs to waits or runs, and tells those who care.
///
/// Two changes may reach an observer in either order. An observer therefore gets no value: it reads ``value`` while
/// it holds its own lock, so that whoever comes last applies the latest one.
package final class PriorityBox: Sendable {
    /// Identifies an observer, to remove it.
    package typealias ObserverID = Int

    private struct State {
        var value: LoadPriority
        var observers: [ObserverID: @Sendable () -> Void] = [:]
        var nextID: ObserverID = 0
    }

    private let state: Lock<State>

    package init(_ value: LoadPriority) {
        state = Lock(State(value: value))
    }

    /// The present priority. It may be read while other locks are held.
    package var value: LoadPriority {
        state.withLock { $0.value }
    }

    /// Changes the priority; observers are told after the change if it differs.
    package func update(_ value: LoadPriority) {
        update { value }
    }

    /// Changes the priority to what `value` says, which is called under this object's lock, so that of two changes
    /// the later sees the later state.
    package func update(_ value: () -> LoadPriority) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            let value = value()
            guard state.value != value else { return [] }
            state.value = value
            return Array(state.observers.values)
        }
        for observer in observers {
            observer()
        }
    }

    /// Calls `observer` after each later change, until it is removed.
    package func addObserver(_ observer: @escaping @Sendable () -> Void) -> ObserverID {
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
