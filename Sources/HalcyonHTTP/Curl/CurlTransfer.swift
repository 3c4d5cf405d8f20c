internal import Glibc
internal import HalcyonSystem
internal import Synchronization

/// One transfer of a ``CurlTransport``, as its client holds it.
///
/// Unchecked: the rest than `loop`, `submittedAt` and `cancellation`, which are immutable or atomic, belongs to the
/// event loop's thread once the transfer has been handed over to it.
final class CurlTransfer: Transfer, @unchecked Sendable {
    /// The progress of a transfer.
    enum State {
        /// On its way to the event loop.
        case submitted
        case waiting(TransferScheduler<CurlTransfer>.Entry)
        case running(CurlExchange)
        case finished
    }

    /// The request, or the one that the last redirect asks for instead.
    @exclusivity(unchecked)  // The loop's thread alone; see CurlExchange.
    private(set) var request: TransferRequest
    /// The request's URL, with the host that its origin has and without dot segments, and that origin, computed on the
    /// thread that starts the transfer, to keep the loop free.
    @exclusivity(unchecked)
    private(set) var url: String
    @exclusivity(unchecked)
    private(set) var origin: Origin?
    /// A Boolean value that indicates whether there may be a user name in the URL.
    @exclusivity(unchecked)
    private(set) var mayHoldUser: Bool
    /// The amounts that the server may send; a redirect does not change them. Apart from the request, which is copied
    /// whole when a field of it is read in a callback.
    let limits: TransferLimits
    /// The earlier requests; `nil` for the first one.
    @exclusivity(unchecked)
    private(set) var history: RequestHistory?
    let submittedAt: MonotonicTime
    @exclusivity(unchecked)
    var state = State.submitted
    @exclusivity(unchecked)
    var priority: LoadPriority
    @exclusivity(unchecked)
    private var receiver: (any TransferReceiver)?
    private let loop: CurlEventLoop
    private let cancellation = Atomic<Bool>(false)

    init(_ request: TransferRequest, receiver: any TransferReceiver, loop: CurlEventLoop) {
        self.request = request
        url = Self.sentURL(of: request)
        origin = Origin(url)
        self.receiver = receiver
        self.loop = loop
        mayHoldUser = Self.mayHoldUser(url)
        limits = request.limits
        priority = request.priority
        submittedAt = .now
    }

    /// Returns the URL as libcurl gets it: it would convert an international host by the locale, and only newer versions
    /// take an escaped dot for one.
    private static func sentURL(of request: TransferRequest) -> String {
        let url = request.url.absoluteString
        return URLSpelling.sent(HostName.withASCIIHost(url) ?? url)
    }

    /// Returns whether there may be a user name in `url`; an "@" in the path is harmless, and counts as well.
    private static func mayHoldUser(_ url: String) -> Bool {
        url.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0x40, bytes.count) != nil } ?? false
        } ?? true
    }

    /// A Boolean value that indicates whether the request may prove the client's identity, to the server or to a proxy,
    /// by other means than its headers.
    var mayHoldCredentials: Bool {
        mayHoldUser || request.credential != nil || request.proxyCredential != nil
    }

    /// A Boolean value that indicates whether the transfer was cancelled. Set before the event loop gets the command,
    /// so that a callback under way can stop at once.
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

    func willSend() {
        receiver?.willSend()
    }

    func deliver(_ response: TransferResponse) throws(TransferError) {
        try receiver?.didReceive(response: response)
    }

    func deliver(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        guard let receiver else { return .proceed }
        return try receiver.didReceive(bytes: bytes)
    }

    /// Makes the target of a redirect the request; the transfer has to be queued anew.
    func follow(_ redirection: Redirection, history: RequestHistory) {
        request = redirection.request
        url = Self.sentURL(of: request)
        origin = Origin(url)
        mayHoldUser = Self.mayHoldUser(url)
        self.history = history
    }

    /// Makes the request, which had no answer, one that is sent again; the transfer has to be queued anew.
    func sendAgain(after history: RequestHistory) {
        self.history = history
    }

    /// Reports the result, and releases the receiver.
    func complete(_ result: Result<TransferMetrics, TransferError>) {
        state = .finished
        guard let receiver else { return }
        self.receiver = nil
        receiver.didComplete(result)
    }
}
