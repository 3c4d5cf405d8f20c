internal import FoundationEssentials
internal import HTTPTypes

/// What is left of the bounds that hold for all requests of a transfer together, for who sends them one by one: follows
/// redirects, or answers demands for credentials.
package struct TransferAllowance: Sendable {
    private let total: Duration
    private let headerBytes: Int
    private var remainingTotal: Duration
    private var remainingHeaderBytes: Int

    /// All that a transfer's first request is allowed.
    package init(_ request: TransferRequest) {
        total = request.timeouts.total
        headerBytes = request.limits.headerBytes
        remainingTotal = total
        remainingHeaderBytes = headerBytes
    }

    /// A request of this transfer, with no more than what is left.
    ///
    /// - Throws: ``TransferError/timedOut(_:)``, ``TransferError/headersTooLarge(maximum:)`` if nothing is.
    package func bounded(_ request: TransferRequest) throws(TransferError) -> TransferRequest {
        // The first is left as it is.
        if remainingTotal == total, remainingHeaderBytes == headerBytes { return request }
        guard remainingTotal > .zero else { throw .timedOut(.total) }
        guard remainingHeaderBytes > 0 else { throw .headersTooLarge(maximum: headerBytes) }
        var request = request
        request.timeouts.total = remainingTotal
        request.limits.headerBytes = remainingHeaderBytes
        return request
    }

    /// Notes what an exchange took that was not the last.
    ///
    /// - Parameters:
    ///   - time: Without waiting for a turn.
    ///   - response: Its head.
    package mutating func spend(_ time: Duration, _ response: TransferResponse) {
        remainingTotal -= max(.zero, time)
        // Each field stands for a line: its name, a colon, a space, its value and the end of the line.
        let bytes = response.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        remainingHeaderBytes -= bytes
    }

    /// An error as the whole transfer's: of the bounds that were set for that.
    package func restated(_ error: TransferError) -> TransferError {
        if case .headersTooLarge = error { .headersTooLarge(maximum: headerBytes) } else { error }
    }
}
