internal import FoundationEssentials
internal import HalcyonHTTP

/// For how long and for whom an original may be used, and all that was made of it.
struct OriginalValidity: Sendable {
    /// When its server has to be asked again; `nil`: it did not say.
    let freshUntil: Date?
    /// The head of the response, if it depends on the headers of the request.
    let varyingResponse: StoredResponse?

    /// `nil` if there is nothing to be said.
    init?(freshUntil: Date?, varyingResponse: StoredResponse?) {
        if freshUntil == nil, varyingResponse == nil { return nil }
        self.freshUntil = freshUntil
        self.varyingResponse = varyingResponse
    }

    /// Whether the server has to be asked again.
    func isOver(at now: Date) -> Bool {
        freshUntil.map { $0 <= now } ?? false
    }

    /// Whether the image may be used now, for a request that is `nil` if it goes to no server.
    func allows(_ request: @autoclosure () -> TransferRequest?, at now: @autoclosure () -> Date) -> Bool {
        if freshUntil != nil, isOver(at: now()) { return false }
        guard let varyingResponse else { return true }
        return request().map(varyingResponse.matches) ?? false
    }
}
