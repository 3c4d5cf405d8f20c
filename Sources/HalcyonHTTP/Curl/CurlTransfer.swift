internal import Glibc
internal import HalcyonConcurrency
internal import Synchronization

/// One transfer of a ``CurlTransport``, as the one who started it holds it.
///
/// Unchecked: `stage`, `receiver` and `priority` belong to the event loop's thread; the rest is immutable or atomic.
final class CurlTransfer: Transfer, @unchecked Sendable {
    enum Stage {
        /// On its way to the event loop.
        case submitted
        case waiting(TransferScheduler<CurlTransfer>.Entry)
        case running(CurlExchange)
        case finished
    }

    let request: TransferRequest
    /// The request's URL and where it leads, worked out by the one who starts the transfer, to keep the loop free.
    let url: String
    let origin: Origin?
    let submittedAt: MonotonicTime
    @exclusivity(unchecked)  // The loop's thread alone; see CurlExchange.
    var stage = Stage.submitted
    @exclusivity(unchecked)
    var priority: LoadPriority
    @exclusivity(unchecked)
    private var receiver: (any TransferReceiver)?
    private let loop: CurlEventLoop
    private let cancellation = Atomic<Bool>(false)

    init(_ request: TransferRequest, receiver: any TransferReceiver, loop: CurlEventLoop) {
        self.request = request
        url = request.url.absoluteString
        origin = Origin(url)
        self.receiver = receiver
        self.loop = loop
        priority = request.priority
        submittedAt = .now
    }

    /// Whether the URL may have a user name; an "@" in the path is harmless, but not worth telling apart.
    var mayHoldCredentials: Bool {
        url.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0x40, bytes.count) != nil } ?? false
        } ?? true
    }

    /// Set before the event loop learns of it, so that a callback under way can stop at once.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    func cancel() {
        guard !cancellation.exchange(true, ordering: .relaxed) else { return }
        loop.post(.cancel(self))
    }

    func setPriority(_ priority: LoadPriority) {
        loop.post(.setPriority(self, priority))
    }

    func resume() {
        loop.post(.resume(self))
    }

    func deliver(_ response: TransferResponse) throws(TransferError) {
        try receiver?.didReceive(response: response)
    }

    func deliver(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        guard let receiver else { return .proceed }
        return try receiver.didReceive(bytes: bytes)
    }

    /// Tells the receiver the end, and lets go of it: who keeps the transfer does not keep the receiver.
    func complete(_ result: Result<TransferMetrics, TransferError>) {
        stage = .finished
        guard let receiver else { return }
        self.receiver = nil
        receiver.didComplete(result)
    }
}
