internal import Synchronization

/// A priority that can change while the work it belongs to waits or runs, with observers of its changes.
///
/// Two changes may reach an observer in either order. An observer therefore gets no value: it reads ``value`` while
/// it holds its own lock, so that the last one applies the latest value.
///
/// The value is atomic and no lock is held while observers are called: so it can be read and set under any other lock,
/// and work that waits for other work passes a change on without holding two locks at a time.
package final class PriorityBox: Sendable {
    /// Identifies an observer, to remove it.
    package typealias ObserverID = Int

    private struct State {
        var observers: [ObserverID: @Sendable () -> Void] = [:]
        var nextID: ObserverID = 0
        /// A Boolean value that indicates whether a thread calls the observers.
        var isTelling = false
        /// A Boolean value that indicates whether it has to call them once more, because of a change it may have
        /// missed.
        var mustTellAgain = false
    }

    private let rawValue: Atomic<Int>
    private let state = Lock(State())

    package init(_ value: LoadPriority) {
        rawValue = Atomic(value.rawValue)
    }

    /// The present priority. It may be read while other locks are held.
    package var value: LoadPriority {
        // Only raw values of priorities are stored.
        LoadPriority(rawValue: rawValue.load(ordering: .acquiring)) ?? .normal
    }

    /// Changes the priority; observers are called after the change if it differs.
    package func update(_ value: LoadPriority) {
        if set(value) { tellObservers() }
    }

    /// Makes the priority at least this high; observers are called after the change if it differs.
    package func raise(to value: LoadPriority) {
        let change = rawValue.max(value.rawValue, ordering: .acquiringAndReleasing)
        if change.oldValue < value.rawValue { tellObservers() }
    }

    /// Makes the priority at least as high as another at each moment, while `body` runs.
    package func following<Result>(
        _ other: PriorityBox,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let observer = other.addObserver { [self] in raise(to: other.value) }
        defer { other.removeObserver(observer) }
        raise(to: other.value)
        return try await body()
    }

    /// Changes the priority without telling observers. It may be called while other locks are held, such as the one
    /// that decides the value, so that of two changes the later holds; ``tellObservers()`` must follow once it is
    /// released.
    ///
    /// - Returns: `true` if the priority was another before; if not, no observer has to be called.
    package func set(_ value: LoadPriority) -> Bool {
        rawValue.exchange(value.rawValue, ordering: .acquiringAndReleasing) != value.rawValue
    }

    /// Calls the observers. No lock may be held that one of them takes.
    ///
    /// One thread calls at a time, so that the last call an observer gets sees the latest value. A second one leaves
    /// its change to the first and returns at once.
    package func tellObservers() {
        var observers = state.withLock { state -> [@Sendable () -> Void] in
            state.mustTellAgain = state.isTelling
            guard !state.isTelling else { return [] }
            state.isTelling = !state.observers.isEmpty
            return Array(state.observers.values)
        }
        while !observers.isEmpty {
            for observer in observers { observer() }
            observers = state.withLock { state in
                state.isTelling = state.mustTellAgain && !state.observers.isEmpty
                state.mustTellAgain = false
                return state.isTelling ? Array(state.observers.values) : []
            }
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
