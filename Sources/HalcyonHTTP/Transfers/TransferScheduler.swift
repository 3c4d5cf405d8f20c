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
        let origin: Origin
        fileprivate var node: Queue.Node?
        fileprivate var isParked = false

        fileprivate init(_ element: Element, origin: Origin) {
            self.element = element
            self.origin = origin
        }
    }

    private final class Host {
        var running = 0
        var parked = Queue()
    }

    private let maximumTransfers: Int
    private let maximumTransfersPerHost: Int
    private var waiting = Queue()
    private var hosts: [Origin: Host] = [:]
    private var originsWithParked: Set<Origin> = []
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
        let entry = Entry(element, origin: origin)
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
    }

    /// Takes the next transfer that may start, if any. Its end must be told with ``transferEnded(at:)``.
    mutating func next() -> Element? {
        while runningCount < maximumTransfers {
            guard let node = mostUrgent() else { return nil }
            let entry = node.element
            unlink(entry)
            guard hasRoom(entry.origin) else {
                park(entry, as: node)
                continue
            }
            waitingCount -= 1
            runningCount += 1
            host(entry.origin).running += 1
            return entry.element
        }
        return nil
    }

    mutating func transferEnded(at origin: Origin) {
        runningCount -= 1
        guard let host = hosts[origin] else { return }
        host.running -= 1
        if host.running == 0, host.parked.isEmpty {
            hosts[origin] = nil
        }
    }

    /// The server at `origin` answered with a protocol that carries many transfers over one connection.
    mutating func markMultiplexing(_ origin: Origin) {
        // What is remembered only saves connections, so forgetting it now and then costs little.
        if multiplexingOrigins.count >= 1024 { multiplexingOrigins.removeAll() }
        multiplexingOrigins.insert(origin)
    }

    /// Any transfer that waits.
    var anyWaiting: Entry? {
        waiting.first?.element ?? originsWithParked.first.flatMap { hosts[$0]?.parked.first?.element }
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
        host(entry.origin).parked.append(node)
        originsWithParked.insert(entry.origin)
    }

    private mutating func unlink(_ entry: Entry) {
        guard let node = entry.node else { return }
        entry.node = nil
        guard entry.isParked else { return waiting.remove(node) }
        entry.isParked = false
        guard let host = hosts[entry.origin] else { return }
        host.parked.remove(node)
        if host.parked.isEmpty {
            originsWithParked.remove(entry.origin)
            if host.running == 0 { hosts[entry.origin] = nil }
        }
    }

    private func mostUrgent() -> Queue.Node? {
        var best = waiting.first
        for origin in originsWithParked where hasRoom(origin) {
            guard let candidate = hosts[origin]?.parked.first else { continue }
            if best.map(candidate.precedes) ?? true { best = candidate }
        }
        return best
    }

    private func hasRoom(_ origin: Origin) -> Bool {
        guard let running = hosts[origin]?.running, running >= maximumTransfersPerHost else { return true }
        return multiplexingOrigins.contains(origin)
    }

    private mutating func host(_ origin: Origin) -> Host {
        if let host = hosts[origin] { return host }
        let host = Host()
        hosts[origin] = host
        return host
    }
}
