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
