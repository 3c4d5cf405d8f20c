public import HalcyonHTTP

extension TransferMetrics {
    /// The number of bytes of the body on the wire a second, from when the transfer left the queue to its last byte;
    /// `nil` if that took no time.
    public var downloadSpeed: Double? {
        let duration = total - queued
        guard duration > .zero else { return nil }
        return Double(bodyBytesReceived) / (duration / .seconds(1))
    }

    /// ``downloadSpeed`` in units of 1024² bytes a second.
    public var downloadSpeedMebibytes: Double? {
        downloadSpeed.map { $0 / 1_048_576 }
    }
}
