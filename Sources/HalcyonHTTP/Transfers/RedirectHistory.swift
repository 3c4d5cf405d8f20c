/// The figures of the earlier hops of a redirected transfer, and the limits that hold for all hops together.
struct RedirectHistory {
    var count = 0
    /// The time at which the next hop took its place in the queue.
    var queuedAt: MonotonicTime
    /// The time that hops waited for their turn.
    var queued: Duration
    /// The deadline of all hops together.
    let totalDeadline: MonotonicTime
    /// The bytes of response headers.
    var headerBytes = 0
    /// The bytes on the wire.
    var sentBytes = 0
    var receivedBytes = 0
}
