internal import HalcyonHTTP

/// The metrics of the requests of a download before its last: those that were redirected, or asked for a credential.
///
/// A transport knows the last one only. The metrics of an earlier response are complete if its short body was read;
/// otherwise only its duration is known.
struct RedirectMetrics: Sendable {
    private let start = ContinuousClock.now
    /// The number of redirects that were followed.
    private(set) var redirectCount = 0
    private var redirected = Duration.zero
    private var queued = Duration.zero
    private var receivedBytes = 0
    private var sentBytes = 0
    /// The time until the last request was passed to the transport.
    private var offset: Duration?

    /// Adds the metrics of an exchange that was not the last.
    ///
    /// - Parameter metrics: `nil` if it was ended after its head.
    mutating func add(_ metrics: TransferMetrics?) {
        guard let metrics else { return }
        queued += metrics.queued
        receivedBytes += metrics.bytesReceived
        sentBytes += metrics.bytesSent
    }

    /// Records that the next request is about to be sent.
    mutating func goOn(isRedirect: Bool) {
        let elapsed = ContinuousClock.now - start
        offset = elapsed
        guard isRedirect else { return }
        redirectCount += 1
        redirected = elapsed
    }

    /// Returns the metrics of all requests, from those of the last one.
    func metrics(with last: TransferMetrics) -> TransferMetrics {
        guard let offset else { return last }
        var metrics = last
        metrics.queued += queued
        metrics.bytesReceived += receivedBytes
        metrics.bytesSent += sentBytes
        metrics.redirectCount += redirectCount
        metrics.redirected = last.redirected > .zero ? last.redirected + offset : redirected
        metrics.firstByte += offset
        metrics.total += offset
        // Zero means "not needed".
        if last.nameLookup > .zero { metrics.nameLookup += offset }
        if last.connect > .zero { metrics.connect += offset }
        if last.secureConnection > .zero { metrics.secureConnection += offset }
        return metrics
    }
}
