internal import FoundationEssentials
internal import HalcyonHTTP

/// Encoded bytes that a load gets piece by piece.
protocol ArrivingBody: Sendable {
    /// Copies the bytes so far.
    ///
    /// - Returns: `nil` once no more come.
    func copy() async -> Data?

    /// Waits for bytes behind the first `offset`, and copies those that have come by then.
    ///
    /// - Returns: `nil` once no more come, whatever was not copied, or the calling task is cancelled.
    func bytes(from offset: Int) async -> Data?

    /// Waits for bytes behind the first `offset`, and copies none.
    ///
    /// - Returns: `false` once no more come, or the calling task is cancelled.
    func hasBytes(from offset: Int) async -> Bool
}

extension ReceivedBody: ArrivingBody {}
