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
        typealias Observer = @Sendable () -> Void

        /// An observer, which mostly is the only one: each piece of work of a load has a box, and a dictionary for each
        /// takes longer than all else here.
        private var first: (id: ObserverID, observer: Observer)?
        private var others: [ObserverID: Observer] = [:]
        private var nextID: ObserverID = 0
        /// A Boolean value that indicates whether a thread calls the observers.
        var isTelling = false
        /// A Boolean value that indicates whether it has to call them once more, because of a change it may have
        /// missed.
        var mustTellAgain = false

        var observers: [Observer] {
            guard let first else { return Array(others.values) }
            return [first.observer] + others.values
        }

        var hasObservers: Bool { first != nil || !others.isEmpty }

        mutating func add(_ observer: @escaping Observer) -> ObserverID {
            let id = nextID
            nextID += 1
            if first == nil {
                first = (id, observer)
            } else {
                others[id] = observer
            }
            return id
        }

        /// Removes an observer, and returns it: it is released once the lock is.
        mutating func remove(_ id: ObserverID) -> Observer? {
            guard let first, first.id == id else { return others.removeValue(forKey: id) }
            self.first = nil
            return first.observer
        }
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
            state.isTelling = state.hasObservers
            return state.observers
        }
        while !observers.isEmpty {
            for observer in observers { observer() }
            observers = state.withLock { state in
                state.isTelling = state.mustTellAgain && state.hasObservers
                state.mustTellAgain = false
                return state.isTelling ? state.observers : []
            }
        }
    }

    /// Calls `observer` after each later change, until it is removed.
    package func addObserver(_ observer: @escaping @Sendable () -> Void) -> ObserverID {
        state.withLock { $0.add(observer) }
    }

    /// Ends what ``addObserver(_:)`` began. A call that is already under way on another thread may still finish.
    package func removeObserver(_ id: ObserverID) {
        _ = state.withLock { $0.remove(id) }
    }
}
