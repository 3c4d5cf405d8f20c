internal import CCurl
internal import CCurlShim

extension CurlExchange {
    /// Returns the next step when libcurl ends with `code`. The handle must still hold this transfer.
    func outcome(_ code: CURLcode) -> Outcome {
        // The body of a redirect does not matter: its head says all.
        if let redirection, failure == nil, !transfer.isCancelled {
            return .redirected(redirection, history)
        }
        return .completed(result(code))
    }

    private func result(_ code: CURLcode) -> Result<TransferMetrics, TransferError> {
        if transfer.isCancelled { return .failure(.cancelled) }
        if let failure { return .failure(failure) }
        guard code == CURLE_OK else { return .failure(problem(code).error) }
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
            metrics.redirected = history.queuedAt - transfer.submittedAt
            metrics.bytesReceived += history.receivedBytes
            metrics.bytesSent += history.sentBytes
            metrics.redirectCount = history.count
        }
        return metrics
    }

    /// The figures of the transfer up to the end of this exchange.
    private var history: RedirectHistory {
        let earlier = transfer.history
        return RedirectHistory(
            count: (earlier?.count ?? 0) + 1,
            queuedAt: .now,
            queued: (earlier?.queued ?? .zero) + (startedAt - (earlier?.queuedAt ?? transfer.submittedAt)),
            totalDeadline: totalDeadline,
            headerBytes: head.byteCount,
            sentBytes: (earlier?.sentBytes ?? 0) + handle.sentBytes,
            receivedBytes: (earlier?.receivedBytes ?? 0) + handle.receivedBytes
        )
    }
}
