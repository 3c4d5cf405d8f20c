internal import Dispatch
internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// A transport that keeps to a number of requests a second to each host, and of bytes a second in all, and asks no host that
/// wants to be left alone for a while.
final class PacedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    /// The time between two requests to one host, in nanoseconds.
    private let hostInterval: UInt64?
    /// The bytes a second, of all transfers together.
    private let byteRate: Int?
    private let failures: HostFailures
    /// When each host may be asked next, in nanoseconds of the monotonic clock.
    private let nextStarts = Lock<[String: UInt64]>([:])
    /// When the bytes that were received would have been, at the rate.
    private let bytesDue = Lock<UInt64>(0)
    private let queue = DispatchQueue(label: "halcyon.pacing")

    /// More bytes come at once after a rest than the rate has in this time, in nanoseconds.
    private static let slack: UInt64 = 100_000_000
    /// Hosts whose time is over are forgotten when there are more than this.
    private static let rememberedHosts = 10_000

    init(_ transport: any HTTPTransport, hostRate: Double?, byteRate: Int?, failures: HostFailures) {
        self.transport = transport
        hostInterval = hostRate.map { UInt64(1e9 / $0) }
        self.byteRate = byteRate
        self.failures = failures
    }

    var cacheScope: String? { transport.cacheScope }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let now = DispatchTime.now().uptimeNanoseconds
        let host = request.url.hostAndPort
        var start = host.map(failures.waitEnd) ?? now
        if let hostInterval, let host {
            start = nextStarts.withLock { nextStarts in
                if nextStarts.count > Self.rememberedHosts { nextStarts = nextStarts.filter { $0.value > now } }
                let start = max(now, start, nextStarts[host] ?? 0)
                nextStarts[host] = start + hostInterval
                return start
            }
        }
        if start <= now, byteRate == nil { return transport.start(request, receiver: receiver) }
        let transfer = PacedTransfer(receiver, pacing: byteRate == nil ? nil : self)
        begin(transfer, request, at: start)
        return transfer
    }

    /// Begins a transfer when its host may be asked, which may have asked for more time meanwhile.
    private func begin(_ transfer: PacedTransfer, _ request: TransferRequest, at start: UInt64) {
        let start = max(start, request.url.hostAndPort.map(failures.waitEnd) ?? 0)
        guard start > DispatchTime.now().uptimeNanoseconds else { return transfer.begin(request, over: transport) }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: start)) { [self] in
            begin(transfer, request, at: start)
        }
    }

    /// Notes bytes that came, and returns whether the next may come at once. Otherwise `resume` is called when they may.
    fileprivate func mayProceed(after count: Int, resume: @escaping @Sendable () -> Void) -> Bool {
        guard let byteRate else { return true }
        let now = DispatchTime.now().uptimeNanoseconds
        let due = bytesDue.withLock { due in
            due = max(due, now - min(now, Self.slack)) + UInt64(Double(count) / Double(byteRate) * 1e9)
            return due
        }
        if due <= now { return true }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due), execute: resume)
        return false
    }
}

/// A transfer whose start, and whose pieces, may have to wait.
private final class PacedTransfer: Transfer, TransferReceiver {
    private struct State {
        var transfer: (any Transfer)?
        /// Whether the transport has the transfer, or is getting it: its receiver is told the end then.
        var isBegun = false
        var isCancelled = false
        var priority: LoadPriority?
        /// The reasons for which no more bytes come: the receiver, and the rate.
        var isHeldByReceiver = false
        var isHeldByRate = false
        /// Whether it was to go on before the transport had returned it.
        var mustResume = false

        var isHeld: Bool { isHeldByReceiver || isHeldByRate }
    }

    private let receiver: any TransferReceiver
    private let pacing: PacedTransport?
    private let state = Lock(State())

    init(_ receiver: any TransferReceiver, pacing: PacedTransport?) {
        self.receiver = receiver
        self.pacing = pacing
    }

    func begin(_ request: TransferRequest, over transport: any HTTPTransport) {
        let priority = state.withLock { state -> LoadPriority?? in
            state.isBegun = !state.isCancelled
            return state.isCancelled ? nil : .some(state.priority)
        }
        guard let priority else { return }
        var request = request
        if let priority { request.priority = priority }
        let transfer = transport.start(request, receiver: self)
        // What came while it was started.
        let begun = state.withLock { state in
            state.transfer = transfer
            return state
        }
        if let later = begun.priority, later != priority { transfer.setPriority(later) }
        if begun.isCancelled { transfer.cancel() }
        if begun.mustResume, !begun.isHeld { transfer.resume() }
    }

    func cancel() {
        let (transfer, ends) = state.withLock { state in
            defer { state.isCancelled = true }
            return (state.transfer, !state.isBegun && !state.isCancelled)
        }
        transfer?.cancel()
        if ends { receiver.didComplete(.failure(.cancelled)) }
    }

    func setPriority(_ priority: LoadPriority) {
        let transfer = state.withLock { state in
            state.priority = priority
            return state.transfer
        }
        transfer?.setPriority(priority)
    }

    func resume() { goOn { $0.isHeldByReceiver = false } }

    private func goOn(_ change: (inout State) -> Void) {
        let transfer = state.withLock { state in
            change(&state)
            if !state.isHeld { state.mustResume = state.transfer == nil }
            return state.isHeld ? nil : state.transfer
        }
        transfer?.resume()
    }

    func willSend() { receiver.willSend() }

    func didReceive(response: TransferResponse) throws(TransferError) {
        try receiver.didReceive(response: response)
    }

    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        // Before the call, since resuming may come before it has returned.
        state.withLock { $0.isHeldByReceiver = true }
        if try receiver.didReceive(bytes: bytes) == .proceed { state.withLock { $0.isHeldByReceiver = false } }
        if let pacing {
            state.withLock { $0.isHeldByRate = true }
            let mayProceed = pacing.mayProceed(after: bytes.count) { [weak self] in
                self?.goOn { $0.isHeldByRate = false }
            }
            if mayProceed { state.withLock { $0.isHeldByRate = false } }
        }
        return state.withLock { $0.isHeld } ? .pause : .proceed
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        receiver.didComplete(result)
    }
}
