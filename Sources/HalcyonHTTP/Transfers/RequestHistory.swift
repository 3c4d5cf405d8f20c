/// The figures of the earlier requests of a transfer, which was redirected or sent again, and the limits that hold for all
/// of them together.
struct RequestHistory {
    /// The number of redirects.
    var redirectCount = 0
    /// The time at which the next request took its place in the queue.
    var queuedAt: MonotonicTime
    /// The time at which the last redirect came; `nil` without one.
    var redirectedAt: MonotonicTime?
    /// The time that requests waited for their turn.
    var queued: Duration
    /// The deadline of all requests together.
    let totalDeadline: MonotonicTime
    /// The bytes of response headers.
    var headerBytes = 0
    /// The bytes on the wire.
    var sentBytes = 0
    var receivedBytes = 0
    /// The number of times that the next request was sent already, on connections that ended and lost it.
    var connectionLossCount = 0
    /// The number of connections to the host that were renewed before it was last sent.
    var renewalCount = 0
}
