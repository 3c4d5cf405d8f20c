internal import CCurlShim

extension CurlEventLoop {
    /// Checks every running transfer, but only once the earliest deadline has come: at most as often as there are
    /// transfers in one idle timeout.
    func enforceDeadlines() {
        guard nextDeadline <= now else { return }
        now = .now
        nextDeadline = .distantFuture
        for exchange in running {
            let deadline = exchange.deadline
            if deadline.time <= now {
                exchange.expire(in: deadline.phase)
                abandon(exchange, code: CURLE_OPERATION_TIMEDOUT)
            } else {
                nextDeadline = min(nextDeadline, deadline.time)
            }
        }
        for transfer in betweenRequests.values {
            guard let history = transfer.history, case .waiting(let entry) = transfer.state else { continue }
            if history.totalDeadline <= now {
                abandon(entry, .timedOut(.total))
            } else {
                nextDeadline = min(nextDeadline, history.totalDeadline)
            }
        }
    }

    /// Notes that the deadline of `exchange` may come earlier than before.
    func deadlineChanged(of exchange: CurlExchange) {
        nextDeadline = min(nextDeadline, exchange.deadline.time)
    }

    /// Converts timeouts, once as long as they stay the same.
    func clocked(_ timeouts: TransferTimeouts) -> ClockedTimeouts {
        if self.timeouts.timeouts != timeouts { self.timeouts = ClockedTimeouts(timeouts) }
        return self.timeouts
    }
}

/// Timeouts in the integers that clocks and libcurl use. A `Duration` is a 128-bit count of attoseconds, and dividing
/// three of them for each transfer shows in a profile.
struct ClockedTimeouts {
    let timeouts: TransferTimeouts
    let connectMilliseconds: Int
    /// The same time as `connectMilliseconds`, in nanoseconds.
    let connectNanoseconds: Int64
    let idleNanoseconds: Int64
    let totalNanoseconds: Int64

    init(_ timeouts: TransferTimeouts) {
        self.timeouts = timeouts
        connectMilliseconds = timeouts.connect.curlMilliseconds
        connectNanoseconds = Int64(connectMilliseconds) * 1_000_000
        idleNanoseconds = timeouts.idle.saturatedNanoseconds
        totalNanoseconds = timeouts.total.saturatedNanoseconds
    }
}
