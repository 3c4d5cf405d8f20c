/// What the earlier hops of a redirected transfer took, and the bounds that hold for all hops together.
struct RedirectHistory {
    var count = 0
    /// When the next hop took its place in the queue.
    var queuedAt: MonotonicTime
    /// Time that hops waited for their turn.
    var queued: Duration
    /// For all hops together.
    let totalDeadline: MonotonicTime
    /// Bytes of response headers.
    var headerBytes = 0
    /// Bytes on the wire.
    var sentBytes = 0
    var receivedBytes = 0
}
