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
