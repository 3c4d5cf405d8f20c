internal import CCurlShim

extension CurlEventLoop {
    /// The time between two inspections. A server needs longer than that to send much.
    private static let inspectionNanoseconds: Int64 = 250_000_000

    /// Ends the transfers whose servers send far more than what arrives as headers and body: libcurl skips the rest
    /// (extensions of chunks, a header line that does not end), and does not call back for it.
    func inspectWire() {
        guard nextInspection <= now else { return }
        nextInspection = now.adding(nanoseconds: Self.inspectionNanoseconds)
        // From the end: the last exchange takes the place of a finished one.
        for index in running.indices.reversed() {
            let exchange = running[index]
            guard let failure = exchange.inspectWire() else { continue }
            exchange.fail(failure)
            finish(exchange, code: CURLE_ABORTED_BY_CALLBACK)
        }
    }
}
