/// The outcome of asking a server for a response.
package enum FetchOutcome<Failure: Error>: Sendable {
    /// A response with its body.
    case fetched(HTTPResponseBody)
    /// A response of status 304 (Not Modified; RFC 9110, section 15.4.5).
    case notModified(HTTPResponseBody)
    /// An answer that is not accepted, or a failure that does not concern the server.
    ///
    /// - Parameter status: The status, if that is the reason.
    case refused(Failure, status: Int?)
    /// No answer, so that a stale response may be used as without a connection.
    case unreachable(Failure)

    /// Creates the outcome for a response.
    package init(_ body: HTTPResponseBody) {
        self = body.response.status == 304 ? .notModified(body) : .fetched(body)
    }

    /// Returns the response, or throws the failure.
    func get() throws(Failure) -> HTTPResponseBody {
        switch self {
        case .fetched(let body), .notModified(let body): return body
        case .refused(let failure, _), .unreachable(let failure): throw failure
        }
    }
}
