/// What a ``TransferScheduler`` knows of an origin while it has transfers. Entries point to it, so that the table of
/// hosts is searched once for a transfer, not at each step.
final class TransferHost<Element> {
    let origin: Origin
    let maximumTransfers: Int
    /// The server has shown that one connection carries many transfers.
    var isMultiplexing: Bool
    var running = 0
    var waiting = TransferQueue<Element>()
    /// Its place among the hosts that can start a transfer, `nil` if it cannot.
    var readyIndex: Int?

    init(_ origin: Origin, maximumTransfers: Int, isMultiplexing: Bool) {
        self.origin = origin
        self.maximumTransfers = maximumTransfers
        self.isMultiplexing = isMultiplexing
    }

    var hasRoom: Bool { running < maximumTransfers || isMultiplexing }

    var isReady: Bool { hasRoom && !waiting.isEmpty }

    /// Whether the transfer whose turn it is here comes before that of `other`; both must be ready.
    func precedes(_ other: TransferHost) -> Bool {
        guard let first = waiting.first, let second = other.waiting.first else { return false }
        return first.precedes(second)
    }
}
