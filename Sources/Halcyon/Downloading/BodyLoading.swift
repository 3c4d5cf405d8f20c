internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Loads bodies whose heads are looked at first.
struct BodyLoading: Sendable {
    let transport: any HTTPTransport
    let bodies: BodyLoader

    init(transport: any HTTPTransport) {
        self.transport = transport
        bodies = BodyLoader(transport: transport)
    }

    /// - Parameters:
    ///   - accept: Sees the head first; what it throws ends the transfer and is thrown here.
    ///   - review: Sees the head next, while the transfer waits; what it throws ends the transfer and is thrown here.
    func load(
        _ request: TransferRequest,
        priority: PriorityBox,
        accept: @escaping @Sendable (TransferResponse) throws -> Void,
        review: (@Sendable (TransferResponse) async throws -> Void)?,
        report: @escaping @Sendable (BodyProgress) -> Void
    ) async throws -> LoadedBody {
        guard let review else {
            return try await bodies.load(request, priority: priority, accept: accept, report: report)
        }
        guard !Task.isCancelled else { throw TransferError.cancelled }
        var request = request
        request.priority = priority.value
        let stream = transport.stream(for: request)
        let observer = priority.addObserver { stream.setPriority(priority.value) }
        defer { priority.removeObserver(observer) }
        // It may have changed between being read and being observed.
        if priority.value != request.priority { stream.setPriority(priority.value) }
        let response = try await stream.response
        try accept(response)
        try await review(response)
        var data = Data()
        if let expected = response.expectedBodyBytes, expected > 0 {
            data.reserveCapacity(min(expected, 16 << 20))
        }
        for try await piece in stream {
            data.append(piece)
            report(BodyProgress(receivedBytes: data.count, expectedBytes: response.expectedBodyBytes))
        }
        return LoadedBody(response: response, data: data, metrics: stream.metrics ?? TransferMetrics())
    }
}
