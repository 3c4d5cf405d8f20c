internal import HalcyonConcurrency

/// Decides which transfer starts next: the most urgent, then the oldest, whose host has room.
///
/// The limit for a host is one of connections: where a server has shown that it multiplexes (HTTP/2), only the limit of
/// all transfers counts. libcurl's own limit for a host is not used, because the transfers that it holds back are
/// out of reach of priorities, and their timeouts run.
///
/// Invariant: a transfer whose host was full when its turn came is parked with that host, and compared again as soon as
/// the host has room. So no start looks at the ten thousand that wait behind a full host.
struct TransferScheduler<Element> {
    typealias Queue = PriorityQueue<Entry>

    /// A transfer that waits.
    final class Entry {
        let element: Element
        fileprivate let host: Host
        fileprivate var node: Queue.Node?
        fileprivate var isParked = false

        fileprivate init(_ element: Element, host: Host) {
            self.element = element
            self.host = host
        }

        var origin: Origin { host.origin }
    }

    /// What is known of an origin while it has transfers. Entries point to it, so that the table of hosts is searched
    /// once for a transfer, not at each step.
    fileprivate final class Host {
        let origin: Origin
        /// Transfers that wait or run.
        var transferCount = 0
        var running = 0
        var isMultiplexing: Bool
        var parked = Queue()

        init(_ origin: Origin, isMultiplexing: Bool) {
            self.origin = origin
            self.isMultiplexing = isMultiplexing
        }
    }

    private let maximumTransfers: Int
    private let maximumTransfersPerHost: Int
    private var waiting = Queue()
    private var hosts: [Origin: Host] = [:]
    private var hostsWithParked: [ObjectIdentifier: Host] = [:]
    private var multiplexingOrigins: Set<Origin> = []
    private var nextSequence = 0
    private(set) var runningCount = 0
    private(set) var waitingCount = 0

    init(maximumTransfers: Int, maximumTransfersPerHost: Int) {
        self.maximumTransfers = max(1, maximumTransfers)
        self.maximumTransfersPerHost = max(1, maximumTransfersPerHost)
    }

    var isIdle: Bool { runningCount == 0 && waitingCount == 0 }

    mutating func append(_ element: Element, origin: Origin, priority: LoadPriority) -> Entry {
        let host = host(origin)
        host.transferCount += 1
        let entry = Entry(element, host: host)
        enqueue(entry, priority: priority)
        waitingCount += 1
        return entry
    }

    mutating func setPriority(_ priority: LoadPriority, of entry: Entry) {
        guard let node = entry.node, node.priority != priority else { return }
        unlink(entry)
        enqueue(entry, priority: priority)
    }

    /// Takes out an entry that still waits.
    mutating func remove(_ entry: Entry) {
        guard entry.node != nil else { return }
        unlink(entry)
        waitingCount -= 1
        release(entry.host)
    }

    /// Takes the next transfer that may start, if any. Its end must be told with ``ended(_:)``.
    mutating func next() -> Entry? {
        while runningCount < maximumTransfers {
            guard let node = mostUrgent() else { return nil }
            let entry = node.element
            unlink(entry)
            guard hasRoom(entry.host) else {
                park(entry, as: node)
                continue
            }
            waitingCount -= 1
            runningCount += 1
            entry.host.running += 1
            return entry
        }
        return nil
    }

    /// A transfer that ``next()`` gave is over.
    mutating func ended(_ entry: Entry) {
        runningCount -= 1
        entry.host.running -= 1
        release(entry.host)
    }

    /// The server of `entry` answered with a protocol that carries many transfers over one connection.
    mutating func markMultiplexing(_ entry: Entry) {
        guard !entry.host.isMultiplexing else { return }
        entry.host.isMultiplexing = true
        // What is remembered only saves connections, so forgetting it now and then costs little.
        if multiplexingOrigins.count >= 1024 { multiplexingOrigins.removeAll() }
        multiplexingOrigins.insert(entry.origin)
    }

    /// Any transfer that waits.
    var anyWaiting: Entry? {
        waiting.first?.element ?? hostsWithParked.first?.value.parked.first?.element
    }

    private mutating func enqueue(_ entry: Entry, priority: LoadPriority) {
        let node = Queue.Node(entry, priority: priority, sequence: nextSequence)
        nextSequence += 1
        entry.node = node
        entry.isParked = false
        waiting.append(node)
    }

    private mutating func park(_ entry: Entry, as node: Queue.Node) {
        entry.node = node
        entry.isParked = true
        entry.host.parked.append(node)
        hostsWithParked[ObjectIdentifier(entry.host)] = entry.host
    }

    private mutating func unlink(_ entry: Entry) {
        guard let node = entry.node else { return }
        entry.node = nil
        guard entry.isParked else { return waiting.remove(node) }
        entry.isParked = false
        entry.host.parked.remove(node)
        if entry.host.parked.isEmpty { hostsWithParked[ObjectIdentifier(entry.host)] = nil }
    }

    private func mostUrgent() -> Queue.Node? {
        var best = waiting.first
        for host in hostsWithParked.values where hasRoom(host) {
            guard let candidate = host.parked.first else { continue }
            if best.map(candidate.precedes) ?? true { best = candidate }
        }
        return best
    }

    private func hasRoom(_ host: Host) -> Bool {
        host.running < maximumTransfersPerHost || host.isMultiplexing
    }

    private mutating func host(_ origin: Origin) -> Host {
        if let host = hosts[origin] { return host }
        let host = Host(origin, isMultiplexing: multiplexingOrigins.contains(origin))
        hosts[origin] = host
        return host
    }

    private mutating func release(_ host: Host) {
        host.transferCount -= 1
        if host.transferCount == 0 { hosts[host.origin] = nil }
    }
}
