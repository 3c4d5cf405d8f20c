internal import CCurl
internal import CCurlShim

extension CurlExchange {
    /// The deadline has come. A redirect goes on without the rest of its body.
    func expire(in phase: TransferError.Phase) {
        guard redirection == nil || phase == .total else { return }
        fail(.timedOut(phase))
    }

    /// The same as `deadline` before anything has happened, without asking libcurl.
    var firstDeadline: MonotonicTime {
        min(totalDeadline, startedAt.adding(nanoseconds: idleNanoseconds))
    }

    /// When this transfer times out, if nothing happens until then.
    var deadline: (time: MonotonicTime, phase: TransferError.Phase) {
        guard !isPaused else { return (totalDeadline, .total) }
        if redirection != nil {
            let end = redirectedAt.adding(nanoseconds: Self.redirectBodyNanoseconds)
            return end < totalDeadline ? (end, .idle) : (totalDeadline, .total)
        }
        let idle = lastReceipt.adding(nanoseconds: idleNanoseconds)
        return idle < totalDeadline ? (idle, .idle) : (totalDeadline, .total)
    }

    /// Connecting has its own timeout, so the idle time begins with the request. Sending a long body is no idle time.
    private var lastReceipt: MonotonicTime {
        if !head.hasBegun {
            let connectedAfter = halcyon_curl_get_offset(handle.easy, CURLINFO_PRETRANSFER_TIME_T)
            guard connectedAfter > 0 else { return max(lastActivity, loop.now) }
            lastActivity = max(lastActivity, startedAt + .microseconds(connectedAfter))
        }
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
