internal import Dispatch
internal import HalcyonSystem

/// One node of an engine: its idle connections, those that are being made, and its breaker.
///
/// Connections are made on threads of their own, for which calls wait no longer than their deadline: looking a name up has
/// none. A connection that comes too late serves the next call.
final class EngineNode: Sendable {
    /// A call that waits for a connection. The thread that takes it out of the list gives it the result.
    private final class Waiter: Sendable {
        let arrived = DispatchSemaphore(value: 0)
        let result = Lock<Result<EngineConnection, FleetError>?>(nil)
    }

    private struct State {
        var idle: [EngineConnection] = []
        var waiters: [Waiter] = []
        /// Connections that are being made.
        var connecting = 0
        var breaker = EngineBreaker()
        /// Rises when the connections of before are no longer wanted.
        var generation = 0
        var isClosed = false
    }

    let address: EngineAddress
    private let capacity: Int
    private let connect: @Sendable () throws(FleetError) -> EngineConnection
    private let threads: WorkQueue
    private let state = Lock(State())

    /// - Parameters:
    ///   - capacity: The most connections that are kept.
    ///   - threads: The threads that connect.
    ///   - connect: Makes a connection that is ready for commands. Blocks.
    init(
        _ address: EngineAddress,
        capacity: Int,
        threads: WorkQueue,
        connect: @escaping @Sendable () throws(FleetError) -> EngineConnection
    ) {
        self.address = address
        self.capacity = capacity
        self.threads = threads
        self.connect = connect
    }

    /// Begins a call, unless the breaker is open.
    ///
    /// - Throws: ``FleetError/circuitOpen(_:)``.
    func admit() throws(FleetError) {
        let now = ContinuousClock.now
        let isAdmitted = state.withLock { $0.breaker.admits(at: now) }
        if !isAdmitted { throw .circuitOpen("\(address)") }
    }

    /// `true` while the breaker stops calls.
    var isStopped: Bool { state.withLock { $0.breaker.isOpen } }

    /// Records that a call was answered, and gives its connection to the first call that waits for one, or keeps it.
    func succeed(_ connection: EngineConnection, from generation: Int) {
        let waiter = state.withLock { state -> Waiter? in
            state.breaker.succeed()
            guard !state.isClosed, state.generation == generation else { return nil }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            if state.idle.count < capacity { state.idle.append(connection) }
            return nil
        }
        if let waiter { answer(waiter, .success(connection)) }
    }

    /// Records that a call was answered, on a connection that is not used again.
    func answered() {
        state.withLock { $0.breaker.succeed() }
    }

    /// Records that a call was not answered.
    func fail() {
        let now = ContinuousClock.now
        state.withLock { $0.breaker.fail(at: now) }
    }

    /// Closes the connections, also those that are in use, once they are given back.
    func disconnect() {
        let idle = state.withLock { state in
            state.generation += 1
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    func close() {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.waiters) = ([], []) }
            return (state.idle, state.waiters)
        }
        withExtendedLifetime(idle) {}
        for waiter in waiters { answer(waiter, .failure(.closed)) }
    }

    /// Returns a connection, its generation, and whether it was used before. Blocks, until a deadline.
    ///
    /// - Throws: ``FleetError``.
    func connection(until deadline: ContinuousClock.Instant) throws(FleetError) -> (
        EngineConnection, Int, isReused: Bool
    ) {
        while true {
            let (idle, generation, isClosed) = state.withLock { state in
                (state.idle.popLast(), state.generation, state.isClosed)
            }
            if isClosed { throw .closed }
            guard let idle else { break }
            if idle.isUsable { return (idle, generation, true) }
        }
        let waiter = Waiter()
        let (generation, mustConnect) = state.withLock { state in
            state.waiters.append(waiter)
            let mustConnect = state.connecting < min(state.waiters.count, capacity)
            if mustConnect { state.connecting += 1 }
            return (state.generation, mustConnect)
        }
        if mustConnect { threads.schedule(priority: .high) { [self] in makeConnection() } }
        if waiter.arrived.wait(until: deadline) == .timedOut {
            let isLeft = state.withLock { state in
                let count = state.waiters.count
                state.waiters.removeAll { $0 === waiter }
                return state.waiters.count < count
            }
            if isLeft { throw .deadlineExceeded }
            // It was taken out of the list, so that its result is on the way.
            waiter.arrived.wait()
        }
        guard let result = waiter.result.withLock({ $0 }) else { throw .closed }
        return (try result.get(), generation, false)
    }

    private func makeConnection() {
        let result: Result<EngineConnection, FleetError>
        do throws(FleetError) {
            result = .success(try connect())
        } catch {
            result = .failure(error)
        }
        let waiters = state.withLock { state -> [Waiter] in
            state.connecting -= 1
            switch result {
            case .success(let connection):
                if state.isClosed { return [] }
                guard state.waiters.isEmpty else { return [state.waiters.removeFirst()] }
                if state.idle.count < capacity { state.idle.append(connection) }
                return []
            case .failure:
                // None of them would fare better.
                defer { state.waiters = [] }
                return state.waiters
            }
        }
        for waiter in waiters { answer(waiter, result) }
    }

    private func answer(_ waiter: Waiter, _ result: Result<EngineConnection, FleetError>) {
        waiter.result.withLock { $0 = result }
        waiter.arrived.signal()
    }
}

extension DispatchSemaphore {
    /// Waits for a signal.
    func wait(until deadline: ContinuousClock.Instant) -> DispatchTimeoutResult {
        let (seconds, fraction) = max(.zero, min(deadline - .now, .seconds(3_600))).components
        return wait(timeout: .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(fraction / 1_000_000_000)))
    }
}
