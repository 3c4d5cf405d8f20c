package import HalcyonSystem

/// The order of waiting transfers of equal priority. That of loads is the order of their calls, however long each has looked
/// into caches.
public enum TransferOrder: Sendable, Hashable, CaseIterable {
    /// The transfer that was asked for first starts first.
    case firstInFirstOut
    /// The transfer that was asked for last starts first: in a list that is scrolled, the one that is visible now.
    case lastInFirstOut
}

/// Chooses the transfer that starts next: the most urgent, then the one whose turn it is by ``TransferOrder``, among
/// those whose host has room.
///
/// The limit for a host is one of connections: where a server has shown that it multiplexes (HTTP/2), only the limit of
/// all transfers counts. libcurl's own limit for a host is not used, because the transfers that it holds back are
/// out of reach of priorities, and their timeouts run.
///
/// Every transfer waits in the queue of its host, and a heap orders the hosts that have room. So no start examines the
/// ten thousand that wait for a full host, nor the thousand other hosts.
package struct TransferScheduler<Element> {
    /// A transfer that waits or runs.
    package final class Entry {
        package let element: Element
        let host: TransferHost<Element>
        /// The number of the priority.
        fileprivate(set) var urgency: Int
        /// The entry's place among its equals; the lowest comes first.
        fileprivate(set) var rank = 0
        /// The place that it was given; `nil` if none.
        fileprivate let place: UInt64?
        // These belong to the queue, while the entry waits there.
        var isWaiting = false
        var next: Unmanaged<Entry>?
        var previous: Unmanaged<Entry>?

        fileprivate init(_ element: Element, host: TransferHost<Element>, priority: LoadPriority, place: UInt64?) {
            self.element = element
            self.place = place
            self.host = host
            urgency = priority.rawValue
        }

        package var origin: Origin { host.origin }

        /// The number of connections to the host that were renewed so far.
        package var renewalCount: Int { host.renewalCount }

        func precedes(_ other: Entry) -> Bool {
            urgency != other.urgency ? urgency > other.urgency : rank < other.rank
        }
    }

    private let maximumTransfers: Int
    private let maximumTransfersPerHost: Int
    private let order: TransferOrder
    private var limiter: StartRateLimiter?
    private(set) var hosts: [Origin: TransferHost<Element>] = [:]
    /// The one of `hosts` that was looked up last.
    private var lastHost: TransferHost<Element>?
    private(set) var readyHosts = ReadyHosts<Element>()
    private var multiplexingOrigins: Set<Origin> = []
    /// The last rank of a transfer that goes on, which no other reaches.
    private var firstRank = Int.min / 2
    /// The last place of those that have come.
    private var lastPlace = 0
    package private(set) var runningCount = 0
    package private(set) var waitingCount = 0

    package init(
        maximumTransfers: Int,
        maximumTransfersPerHost: Int,
        order: TransferOrder = .firstInFirstOut,
        startRate: StartRate? = nil
    ) {
        self.maximumTransfers = max(1, maximumTransfers)
        self.maximumTransfersPerHost = max(1, maximumTransfersPerHost)
        self.order = order
        limiter = startRate.map(StartRateLimiter.init)
    }

    package var isIdle: Bool { runningCount == 0 && waitingCount == 0 }

    /// Queues a transfer. One that goes on with another request (`isUnderWay`) comes before all others of its priority.
    ///
    /// - Parameter place: Its place among those of its priority, lower for what was asked for before. Default: after all that
    ///   have come.
    package mutating func append(
        _ element: Element,
        origin: Origin,
        priority: LoadPriority,
        place: UInt64? = nil,
        isUnderWay: Bool = false
    ) -> Entry {
        let entry = Entry(element, host: host(origin), priority: priority, place: place)
        lineUp(entry, first: isUnderWay)
        waitingCount += 1
        return entry
    }

    /// Queues an entry that still waits anew, in its place among those of another priority, or as the last of them.
    package mutating func setPriority(_ priority: LoadPriority, of entry: Entry) {
        guard entry.isWaiting, entry.urgency != priority.rawValue else { return }
        entry.host.waiting.remove(entry)
        entry.urgency = priority.rawValue
        lineUp(entry)
    }

    /// Removes an entry that still waits.
    package mutating func remove(_ entry: Entry) {
        guard entry.isWaiting else { return }
        entry.host.waiting.remove(entry)
        waitingCount -= 1
        settle(entry.host)
    }

    /// Removes and returns all entries that wait.
    package mutating func removeAll() -> [Entry] {
        var entries: [Entry] = []
        for host in Array(hosts.values) {
            while let entry = host.waiting.popFirst() { entries.append(entry) }
            settle(host)
        }
        waitingCount = 0
        return entries
    }

    /// Removes and returns the next transfer that may start at this time, if any. Its end must be reported with
    /// ``ended(_:)``.
    package mutating func next(at now: MonotonicTime) -> Entry? {
        guard runningCount < maximumTransfers, let host = readyHosts.first, limiter?.take(at: now) ?? true,
            let entry = host.waiting.popFirst()
        else { return nil }
        waitingCount -= 1
        runningCount += 1
        host.running += 1
        readyHosts.update(host)
        return entry
    }

    /// The time at which ``next(at:)`` may have a transfer although none has ended or come;
    /// ``MonotonicTime/distantFuture`` if it is not the rate of starts that delays one.
    package var nextStart: MonotonicTime {
        guard let limiter, runningCount < maximumTransfers, readyHosts.first != nil else { return .distantFuture }
        return limiter.nextToken
    }

    /// Notes the end of a transfer that ``next(at:)`` returned.
    package mutating func ended(_ entry: Entry) {
        connectionIsRenewed(by: entry)
        runningCount -= 1
        entry.host.running -= 1
        settle(entry.host)
    }

    /// Notes whether the server of `entry` answered with a protocol that carries many transfers over one connection.
    package mutating func markMultiplexing(_ entry: Entry, _ isMultiplexing: Bool = true) {
        guard entry.host.isMultiplexing != isMultiplexing else { return }
        entry.host.isMultiplexing = isMultiplexing
        readyHosts.update(entry.host)
        guard isMultiplexing else {
            multiplexingOrigins.remove(entry.origin)
            return
        }
        // The set only saves connections, so emptying it now and then costs little.
        if multiplexingOrigins.count >= 1024 { multiplexingOrigins.removeAll() }
        multiplexingOrigins.insert(entry.origin)
    }

    /// Returns whether a transfer that starts, after a connection has lost it, opens a new one. Those that were lost with
    /// it share that one, and no other starts at the host before ``connectionIsRenewed(by:)``. Without multiplexing, each
    /// has its own.
    ///
    /// - Parameter count: The value of ``Entry/renewalCount`` when it was sent on the connection that has lost it.
    package mutating func renewsConnection(_ entry: Entry, since count: Int) -> Bool {
        guard entry.host.isMultiplexing else { return true }
        guard entry.host.renewalCount <= count else { return false }
        entry.host.renewer = entry
        readyHosts.update(entry.host)
        return true
    }

    /// Notes that the connection which a transfer opens for others can be shared, or that there will be none.
    ///
    /// - Returns: Whether others may start now.
    @discardableResult
    package mutating func connectionIsRenewed(by entry: Entry) -> Bool {
        let host = entry.host
        guard host.renewer === entry else { return false }
        host.renewer = nil
        host.renewalCount += 1
        readyHosts.update(host)
        return true
    }

    private mutating func lineUp(_ entry: Entry, first: Bool = false) {
        if first {
            firstRank -= 1
            entry.rank = firstRank
        } else {
            let place = entry.place.flatMap { Int(exactly: $0) } ?? lastPlace + 1
            lastPlace = max(lastPlace, place)
            entry.rank = order == .firstInFirstOut ? place : -place
        }
        entry.host.waiting.insert(entry)
        readyHosts.update(entry.host)
    }

    private mutating func host(_ origin: Origin) -> TransferHost<Element> {
        // Hashing a host's name takes longer than to compare it, and most transfers go where the last one went.
        if let lastHost, lastHost.origin == origin { return lastHost }
        if let host = hosts[origin] {
            lastHost = host
            return host
        }
        let host = TransferHost<Element>(
            origin,
            maximumTransfers: maximumTransfersPerHost,
            isMultiplexing: multiplexingOrigins.contains(origin)
        )
        hosts[origin] = host
        lastHost = host
        return host
    }

    /// Updates a host where a transfer ended or was removed; a host without transfers is removed.
    private mutating func settle(_ host: TransferHost<Element>) {
        readyHosts.update(host)
        guard host.running == 0, host.waiting.isEmpty else { return }
        hosts[host.origin] = nil
        if lastHost === host { lastHost = nil }
    }
}

/// The state of an origin in a ``TransferScheduler`` while it has transfers. Entries point to it, so that the table of
/// hosts is searched once for a transfer, not at each step.
final class TransferHost<Element> {
    let origin: Origin
    let maximumTransfers: Int
    /// A Boolean value that indicates whether the server has shown that one connection carries many transfers.
    var isMultiplexing: Bool
    /// The transfer that opens a connection in the place of one that was lost, while the others wait for that; `nil` if
    /// there is none.
    var renewer: TransferScheduler<Element>.Entry?
    /// The number of times that a transfer has done so.
    var renewalCount = 0
    var running = 0
    var waiting = TransferQueue<Element>()
    /// The host's place among those that can start a transfer, `nil` if it cannot.
    var readyIndex: Int?

    init(_ origin: Origin, maximumTransfers: Int, isMultiplexing: Bool) {
        self.origin = origin
        self.maximumTransfers = maximumTransfers
        self.isMultiplexing = isMultiplexing
    }

    var hasRoom: Bool { renewer == nil && (running < maximumTransfers || isMultiplexing) }

    var isReady: Bool { hasRoom && !waiting.isEmpty }

    /// Returns whether this host's next transfer comes before that of `other`; both must be ready.
    func precedes(_ other: TransferHost) -> Bool {
        guard let first = waiting.first, let second = other.waiting.first else { return false }
        return first.precedes(second)
    }
}
