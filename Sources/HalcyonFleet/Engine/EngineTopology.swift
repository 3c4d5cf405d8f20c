internal import Dispatch
internal import HalcyonSystem

/// The nodes of an engine, and which of them has a key.
///
/// A look-up of the topology is made for all callers together, in the background, and at most once a second: a client without
/// that limit asked a cluster 68,806 times while it failed over.
final class EngineTopology: Sendable {
    /// The least time between the beginnings of two look-ups.
    static let interval = Duration.seconds(1)

    private struct State {
        var nodes: [EngineAddress: EngineNode] = [:]
        /// The primary of an engine without slots; `nil` if it is not known.
        var primary: EngineAddress?
        /// The primaries of a cluster.
        var primaries: [EngineAddress] = []
        /// The number of the primary of each slot, from 1 on; 0 if it is not known. Empty before the first look-up.
        var slots: [UInt16] = []
        var isLooking = false
        var lastLook: ContinuousClock.Instant?
        var waiters: [DispatchSemaphore] = []
        var lookCount = 0
        var isClosed = false
    }

    private let configuration: FleetEngine.Configuration
    /// The threads that connect and look up.
    private let threads: WorkQueue
    private let state = Lock(State())

    init(_ configuration: FleetEngine.Configuration, threads: WorkQueue) {
        self.configuration = configuration
        self.threads = threads
        if case .single = configuration.kind { state.withLock { $0.primary = configuration.seeds.first } }
    }

    /// The number of look-ups that were begun.
    var lookCount: Int { state.withLock { $0.lookCount } }

    /// Returns the node of a key. Blocks until it is known, or a deadline.
    ///
    /// - Parameter key: `nil` for any node.
    /// - Throws: ``FleetError/noPrimary``, ``FleetError/deadlineExceeded``, ``FleetError/closed``.
    func node(for key: String?, until deadline: ContinuousClock.Instant) throws(FleetError) -> EngineNode {
        let slot = key.map(ClusterSlots.slot(of:))
        var hasWaited = false
        while true {
            if let address = state.withLock({ address(of: slot, $0) }) { return try node(at: address) }
            if hasWaited { throw .noPrimary }
            let arrived = DispatchSemaphore(value: 0)
            state.withLock { $0.waiters.append(arrived) }
            look()
            if arrived.wait(until: deadline) == .timedOut {
                state.withLock { state in state.waiters.removeAll { $0 === arrived } }
                throw .deadlineExceeded
            }
            hasWaited = true
        }
    }

    private func address(of slot: Int?, _ state: State) -> EngineAddress? {
        guard configuration.kind == .cluster else { return state.primary }
        guard let slot else {
            return state.primaries.first { state.nodes[$0]?.isStopped != true } ?? state.primaries.first
        }
        guard let number = state.slots.isEmpty ? nil : state.slots[slot], number > 0 else { return nil }
        return state.primaries[Int(number) - 1]
    }

    /// Returns the node at an address.
    ///
    /// - Throws: ``FleetError/closed``.
    func node(at address: EngineAddress) throws(FleetError) -> EngineNode {
        let node = state.withLock { state -> EngineNode? in
            if state.isClosed { return nil }
            if let node = state.nodes[address] { return node }
            // One for each thread that calls.
            let capacity = configuration.connectionCount + FleetEngine.changeCount
            let node = EngineNode(address, capacity: capacity, threads: threads) {
                [configuration] () throws(FleetError) in try configuration.connection(to: address)
            }
            state.nodes[address] = node
            return node
        }
        guard let node else { throw .closed }
        return node
    }

    /// Follows a redirection of a cluster, and returns the node that it names.
    func redirect(_ redirection: EngineReply.Redirection, from node: EngineNode) throws(FleetError) -> EngineNode {
        let address = EngineAddress(host: redirection.host ?? node.address.host, port: redirection.port)
        guard !redirection.isForOnce else { return try self.node(at: address) }
        state.withLock { state in
            guard !state.slots.isEmpty else { return }
            let index = state.primaries.firstIndex(of: address) ?? state.primaries.count
            // A cluster has a thousand nodes at the most.
            guard index < Int(UInt16.max) else { return }
            if index == state.primaries.count { state.primaries.append(address) }
            state.slots[redirection.slot] = UInt16(index + 1)
        }
        look()
        return try self.node(at: address)
    }

    /// Records that a node was lost, or is no primary any more. A look-up begins, unless the engine is one node.
    func lose(_ node: EngineNode) {
        guard configuration.kind != .single else { return }
        look()
    }

    func close() {
        let (nodes, waiters) = state.withLock { state in
            state.isClosed = true
            defer { (state.nodes, state.waiters) = ([:], []) }
            return (Array(state.nodes.values), state.waiters)
        }
        for node in nodes { node.close() }
        for waiter in waiters { waiter.signal() }
    }

    /// Begins a look-up, unless there is one, or there was one less than a second ago.
    private func look() {
        let now = ContinuousClock.now
        let (isBegun, released) = state.withLock { state -> (Bool, [DispatchSemaphore]) in
            if state.isLooking { return (false, []) }
            if state.isClosed || configuration.kind == .single
                || state.lastLook.map({ now - $0 < Self.interval }) ?? false
            {
                defer { state.waiters = [] }
                return (false, state.waiters)
            }
            (state.isLooking, state.lastLook) = (true, now)
            state.lookCount += 1
            return (true, [])
        }
        for waiter in released { waiter.signal() }
        if isBegun { threads.schedule(priority: .veryHigh) { [weak self] in self?.finishLooking() } }
    }

    private func finishLooking() {
        switch configuration.kind {
        case .single: break
        case .sentinel(let set): findPrimary(of: set)
        case .cluster: readSlots()
        }
        let waiters = state.withLock { state in
            state.isLooking = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    /// The time for a look-up at one node.
    private static let timeout = Duration.seconds(1)

    /// Asks one Sentinel after the other for the primary of a set, until one that it names says that it is a primary: others
    /// may not know yet of a failover.
    private func findPrimary(of set: String) {
        for seed in configuration.seeds {
            let query = EngineCommand("SENTINEL", "get-master-addr-by-name", set)
            guard let connection = try? configuration.connection(toSentinel: seed, timeout: Self.timeout),
                let reply = try? connection.call([query], limits: .small, until: .now + Self.timeout).first,
                let parts = reply.elements, parts.count == 2, let host = parts[0].text,
                let port = parts[1].number, 1...65_535 ~= port
            else { continue }
            let address = EngineAddress(host: host, port: Int(port))
            // It asks for the role.
            guard (try? configuration.connection(to: address, timeout: Self.timeout)) != nil else { continue }
            let former = state.withLock { state -> EngineNode? in
                defer { state.primary = address }
                guard let primary = state.primary, primary != address else { return nil }
                return state.nodes.removeValue(forKey: primary)
            }
            former?.close()
            return
        }
    }

    /// Asks one node after the other for the slots, those that answered last first.
    private func readSlots() {
        let (known, stopped) = state.withLock { state in
            let known = state.primaries.filter { state.nodes[$0] != nil }
            return (known, Set(known.filter { state.nodes[$0]?.isStopped == true }))
        }
        let candidates = known.filter { !stopped.contains($0) } + configuration.seeds + stopped
        var asked: Set<EngineAddress> = []
        for address in candidates where asked.insert(address).inserted {
            guard let connection = try? configuration.connection(to: address, timeout: Self.timeout),
                let replies = try? connection.call(
                    [EngineCommand("CLUSTER", "SLOTS")],
                    limits: .small,
                    until: .now + Self.timeout
                ),
                let map = replies.first.flatMap({ SlotMap($0, from: address) })
            else { continue }
            let former = state.withLock { state -> [EngineNode] in
                (state.primaries, state.slots) = (map.primaries, map.slots)
                let left = state.nodes.keys.filter { !map.primaries.contains($0) }
                return left.compactMap { state.nodes.removeValue(forKey: $0) }
            }
            for node in former { node.close() }
            return
        }
    }
}

/// The answer to `CLUSTER SLOTS`.
struct SlotMap {
    private(set) var primaries: [EngineAddress] = []
    private(set) var slots = [UInt16](repeating: 0, count: ClusterSlots.count)

    /// Reads a map; `nil` for a reply that is none.
    ///
    /// - Parameter address: The node that was asked, whose host counts where the reply names none.
    init?(_ reply: EngineReply, from address: EngineAddress) {
        guard let ranges = reply.elements, !ranges.isEmpty else { return nil }
        for range in ranges {
            guard let parts = range.elements, parts.count >= 3, let first = parts[0].number, let last = parts[1].number,
                first >= 0, first <= last, last < ClusterSlots.count, let primary = parts[2].elements,
                primary.count >= 2, let port = primary[1].number, 1...65_535 ~= port
            else { return nil }
            let host = primary[0].text.flatMap { $0.isEmpty || $0 == "?" ? nil : $0 } ?? address.host
            let node = EngineAddress(host: host, port: Int(port))
            let index = primaries.firstIndex(of: node) ?? primaries.count
            if index == primaries.count { primaries.append(node) }
            for slot in Int(first)...Int(last) { slots[slot] = UInt16(index + 1) }
        }
    }
}
