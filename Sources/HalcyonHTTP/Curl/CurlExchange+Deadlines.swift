internal import CCurlShim

extension CurlExchange {
    /// Ends the exchange because its deadline has come. A redirect goes on without the rest of its body.
    func expire(in phase: TransferError.Phase) {
        guard redirection == nil || phase == .total else { return }
        fail(.timedOut(phase))
    }

    /// The time before which no deadline comes, whatever happens first. It is computed without asking libcurl.
    var firstDeadline: MonotonicTime {
        min(totalDeadline, connectDeadline, startedAt.adding(nanoseconds: idleNanoseconds))
    }

    /// The time at which this transfer times out, if nothing happens until then; earlier where it has to be checked
    /// before, because libcurl does not report what happens.
    var deadline: (time: MonotonicTime, phase: TransferError.Phase) {
        if let lookupDeadline { return (lookupDeadline, .connect) }
        guard !isPaused else { return (totalDeadline, .total) }
        if redirection != nil {
            let end = redirectedAt.adding(nanoseconds: Self.redirectBodyNanoseconds)
            return end < totalDeadline ? (end, .idle) : (totalDeadline, .total)
        }
        let next = isConnecting ? connecting : (lastReceipt.adding(nanoseconds: idleNanoseconds), .idle)
        return next.0 < totalDeadline ? next : (totalDeadline, .total)
    }

    /// The deadline as long as there is no connection. The idle time may begin at any moment, unnoticed.
    private var connecting: (MonotonicTime, TransferError.Phase) {
        let idle = max(lastActivity, loop.now).adding(nanoseconds: idleNanoseconds)
        return connectDeadline <= idle ? (connectDeadline, .connect) : (idle, .idle)
    }

    /// A Boolean value that indicates whether no connection can take the request yet. Connecting has its own timeout,
    /// so the idle time begins with the request.
    private var isConnecting: Bool {
        guard !head.hasBegun else { return false }
        let connectedAfter = halcyon_curl_get_offset(handle.easy, CURLINFO_PRETRANSFER_TIME_T)
        guard connectedAfter > 0 else { return true }
        lastActivity = max(lastActivity, startedAt + .microseconds(connectedAfter))
        return false
    }

    /// The time at which bytes were last received, or sent: sending a long body is no idle time.
    private var lastReceipt: MonotonicTime {
        if transfer.request.body != nil {
            let uploaded = Int64(halcyon_curl_get_offset(handle.easy, CURLINFO_SIZE_UPLOAD_T))
            if uploaded != uploadedBytes {
                uploadedBytes = uploaded
                lastActivity = loop.now
            }
        }
        return lastActivity
    }
}
