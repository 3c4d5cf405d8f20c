internal import HalcyonHTTP

/// The reason for the use of an image that is no longer fresh.
enum StaleUse: Sendable {
    /// The request forbids the network.
    case offline
    /// Its server does not respond, or responds with a failure of its own.
    case failure(ReuseDecision.Failure)

    /// Creates the reason that an error gives; `nil` if it gives none.
    init?(_ reason: ImageError.Reason) {
        switch reason {
        case .notCached:
            self = .offline
        case .transfer(let error) where error.isDisconnection:
            self = .failure(.disconnected)
        case .serverUnavailable, .meteredNetwork, .failedBefore:
            // Nothing was sent, which counts as a lack of connection.
            self = .failure(.disconnected)
        case .status(let status) where HTTPStatus.isServerFailure(status):
            self = .failure(.serverFailure)
        default:
            return nil
        }
    }
}

extension ImageError {
    /// A Boolean value that indicates whether the server's response is about the image, and not about the client, or
    /// the time of the request.
    var isAboutResource: Bool {
        guard case .status(let status) = reason else { return false }
        return HTTPStatus.isAboutResource(status)
    }
}
