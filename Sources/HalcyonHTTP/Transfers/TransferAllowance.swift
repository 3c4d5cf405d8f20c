internal import FoundationEssentials
internal import HTTPTypes

/// The rest of the limits that hold for all requests of a transfer together, for a caller that sends them one by one:
/// that follows redirects, or answers demands for credentials.
package struct TransferAllowance: Sendable {
    private let total: Duration
    private let headerBytes: Int
    private var remainingTotal: Duration
    private var remainingHeaderBytes: Int

    /// Creates the allowance of a transfer's first request.
    package init(_ request: TransferRequest) {
        total = request.timeouts.total
        headerBytes = request.limits.headerBytes
        remainingTotal = total
        remainingHeaderBytes = headerBytes
    }

    /// Returns a request of this transfer, limited to the rest.
    ///
    /// - Throws: ``TransferError/timedOut(_:)``, ``TransferError/headersTooLarge(maximum:)`` if nothing is left.
    package func bounded(_ request: TransferRequest) throws(TransferError) -> TransferRequest {
        // The first request stays as it is.
        if remainingTotal == total, remainingHeaderBytes == headerBytes { return request }
        guard remainingTotal > .zero else { throw .timedOut(.total) }
        guard remainingHeaderBytes > 0 else { throw .headersTooLarge(maximum: headerBytes) }
        var request = request
        request.timeouts.total = remainingTotal
        request.limits.headerBytes = remainingHeaderBytes
        return request
    }

    /// Notes the time and headers of an exchange that was not the last.
    ///
    /// - Parameter time: The time of the exchange, without waiting for a turn.
    package mutating func spend(_ time: Duration, _ response: TransferResponse) {
        remainingTotal -= max(.zero, time)
        // Each field stands for a line: its name, a colon, a space, its value and the end of the line.
        let bytes = response.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        remainingHeaderBytes -= bytes
    }

    /// Returns an error of a bounded request with the limit that was set for the whole transfer.
    package func restated(_ error: TransferError) -> TransferError {
        if case .headersTooLarge = error { .headersTooLarge(maximum: headerBytes) } else { error }
    }
}
