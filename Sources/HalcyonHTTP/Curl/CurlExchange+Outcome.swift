internal import CCurlShim

extension CurlExchange {
    /// Returns the next step when libcurl ends with `code`. The handle must still hold this transfer.
    func outcome(_ code: CURLcode) -> Outcome {
        // The body of a redirect does not matter: its head says all.
        if let redirection, failure == nil, !transfer.isCancelled {
            return .redirected(redirection, history(isRedirected: true))
        }
        if losesConnection(code) { return .connectionLost(history(isRedirected: false)) }
        return .completed(result(code))
    }

    private func result(_ code: CURLcode) -> Result<TransferMetrics, TransferError> {
        if transfer.isCancelled { return .failure(.cancelled) }
        if let failure { return .failure(failure) }
        // Some servers state the length of the content beside a coding: the coded body tells its end better.
        let isWholeContent = code == CURLE_PARTIAL_FILE && decoder?.isAtEnd ?? false
        guard code == CURLE_OK || isWholeContent else { return .failure(problem(code).error) }
        guard head.isComplete else { return .failure(problem(code).endedInsideHead) }
        if !isHeadDelivered, !deliverHead() { return .failure(failure ?? .cancelled) }
        if let decoder, !decoder.isAtEnd {
            let isCutOff = !head.isDelimited && !isMultiplexed
            return .failure(isCutOff ? problem(code).endedInsideCodedBody : problem(code).codedBodyTooShort)
        }
        return .success(metrics)
    }

    private var metrics: TransferMetrics {
        let start = startedAt - transfer.submittedAt
        var metrics = handle.metrics(from: start)
        metrics.queued = start
        if let history = transfer.history {
            metrics.queued = history.queued + (startedAt - history.queuedAt)
            if let redirectedAt = history.redirectedAt { metrics.redirected = redirectedAt - transfer.submittedAt }
            metrics.bytesReceived += history.receivedBytes
            metrics.bytesSent += history.sentBytes
            metrics.redirectCount = history.redirectCount
        }
        return metrics
    }

    /// The figures of the transfer up to the end of this exchange.
    ///
    /// - Parameter isRedirected: `false` if the same request is sent again.
    private func history(isRedirected: Bool) -> RequestHistory {
        let earlier = transfer.history
        let now = MonotonicTime.now
        return RequestHistory(
            redirectCount: (earlier?.redirectCount ?? 0) + (isRedirected ? 1 : 0),
            queuedAt: now,
            redirectedAt: isRedirected ? now : earlier?.redirectedAt,
            queued: (earlier?.queued ?? .zero) + (startedAt - (earlier?.queuedAt ?? transfer.submittedAt)),
            totalDeadline: totalDeadline,
            headerBytes: head.byteCount,
            sentBytes: (earlier?.sentBytes ?? 0) + handle.sentBytes,
            receivedBytes: (earlier?.receivedBytes ?? 0) + handle.receivedBytes,
            connectionLossCount: isRedirected ? 0 : connectionLossCount + 1,
            renewalCount: renewalCount
        )
    }
}
