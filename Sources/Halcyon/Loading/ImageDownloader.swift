public import FoundationEssentials
internal import HalcyonConcurrency
public import HalcyonHTTP

/// Gets encoded images from servers. It neither reads nor writes a cache.
public final class ImageDownloader: Sendable {
    /// What a server sent.
    public struct Download: Sendable {
        /// The head of the response.
        public var response: TransferResponse
        /// The body, its content coding undone.
        public var data: Data
        /// What the transfer took.
        public var metrics: TransferMetrics
    }

    private let transport: any HTTPTransport
    private let acceptedStatusCodes: Range<Int>

    /// A downloader over a transport.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - acceptedStatusCodes: Default: 200..<400.
    public init(transport: any HTTPTransport, acceptedStatusCodes: Range<Int> = 200..<400) {
        self.transport = transport
        self.acceptedStatusCodes = acceptedStatusCodes
    }

    /// Gets what a request answers with.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load``, `CancellationError`.
    public func download(_ request: TransferRequest) async throws -> Download {
        try await download(request, context: WorkContext(priority: PriorityBox(request.priority), report: { _ in }))
    }

    func download(_ request: TransferRequest, context: WorkContext) async throws -> Download {
        var request = request
        request.priority = context.priority.value
        let collector = BodyCollector(acceptedStatusCodes: acceptedStatusCodes, report: context.report)
        let source = request.url.absoluteString
        do {
            return try await collector.collect(request, from: transport, priority: context.priority)
        } catch let error as TransferError {
            switch error {
            case .cancelled: throw CancellationError()
            case .invalidURL(let url): throw ImageError(stage: .source, reason: .invalidURL(url), source: source)
            default: throw ImageError(stage: .load, reason: .transfer(error), source: source)
            }
        } catch let error as RejectedStatus {
            throw ImageError(stage: .load, reason: .status(error.status), source: source)
        }
    }
}

/// Ends a transfer whose status is not accepted, before its body.
private struct RejectedStatus: Error {
    let status: Int
}

/// Gathers one response in memory.
private final class BodyCollector: TransferReceiver {
    private struct State {
        var response: TransferResponse?
        var data = Data()
        var rejectedStatus: Int?
        var isCancelled = false
        var transfer: (any Transfer)?
        var continuation: CheckedContinuation<ImageDownloader.Download, any Error>?
    }

    /// The most that is reserved on a server's word alone.
    private static let largestReservation = 16 << 20

    private let state = Lock(State())
    private let acceptedStatusCodes: Range<Int>
    private let report: @Sendable (ImageProgress) -> Void

    init(acceptedStatusCodes: Range<Int>, report: @escaping @Sendable (ImageProgress) -> Void) {
        self.acceptedStatusCodes = acceptedStatusCodes
        self.report = report
    }

    func collect(
        _ request: TransferRequest,
        from transport: any HTTPTransport,
        priority: PriorityBox
    ) async throws -> ImageDownloader.Download {
        let observer = priority.addObserver { [weak self] in
            let transfer = self?.state.withLock { $0.transfer }
            transfer?.setPriority(priority.value)
        }
        defer { priority.removeObserver(observer) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                // The transport completes every transfer exactly once, and that resumes the continuation.
                let transfer = transport.start(request, receiver: self)
                let isCancelled = state.withLock { state -> Bool in
                    if state.continuation != nil { state.transfer = transfer }
                    return state.isCancelled
                }
                if isCancelled { transfer.cancel() }
                if priority.value != request.priority { transfer.setPriority(priority.value) }
            }
        } onCancel: {
            let transfer = state.withLock { state -> (any Transfer)? in
                state.isCancelled = true
                return state.transfer
            }
            transfer?.cancel()
        }
    }

    func didReceive(response: TransferResponse) throws(TransferError) {
        let isAccepted = acceptedStatusCodes.contains(response.status)
        state.withLock { state in
            state.response = response
            if !isAccepted { state.rejectedStatus = response.status }
            if isAccepted, let expected = response.expectedBodyBytes, expected > 0 {
                state.data.reserveCapacity(min(expected, Self.largestReservation))
            }
        }
        if !isAccepted { throw .responseRefused("status \(response.status)") }
    }

    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        let progress = state.withLock { state in
            state.data.append(contentsOf: bytes)
            return ImageProgress(
                receivedBytes: state.data.count,
                expectedBytes: state.response?.expectedBodyBytes
            )
        }
        report(progress)
        return .proceed
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        let end = state.withLock { state in
            let end = state
            // Breaks the cycle between this object and its transfer.
            state.continuation = nil
            state.transfer = nil
            state.data = Data()
            return end
        }
        switch (result, end.response) {
        case (.success(let metrics), let response?):
            end.continuation?.resume(returning: .init(response: response, data: end.data, metrics: metrics))
        case (.success, nil):
            end.continuation?.resume(throwing: TransferError.malformedResponse("it has no head"))
        case (.failure(let error), _):
            if let status = end.rejectedStatus {
                end.continuation?.resume(throwing: RejectedStatus(status: status))
            } else {
                end.continuation?.resume(throwing: error)
            }
        }
    }
}
