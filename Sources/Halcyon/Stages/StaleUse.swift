internal import HalcyonHTTP

/// Why an image may be wanted although its time is over.
enum StaleUse: Sendable {
    /// The request forbids the network.
    case offline
    /// Its server does not answer, or answers that it has a problem.
    case failure(ReuseDecision.Failure)

    /// `nil` if an error is no reason.
    init?(_ reason: ImageError.Reason) {
        switch reason {
        case .notCached:
            self = .offline
        case .transfer(let error) where error.isDisconnection:
            self = .failure(.disconnected)
        case .serverUnavailable, .meteredNetwork, .failedBefore:
            // Nothing was sent, which is as good as no connection.
            self = .failure(.disconnected)
        case .status(let status) where HTTPStatus.isServerFailure(status):
            self = .failure(.serverFailure)
        default:
            return nil
        }
    }
}

extension ImageError {
    /// Whether the server said something about the image, and not about who asks, or when.
    var isAboutResource: Bool {
        guard case .status(let status) = reason else { return false }
        return HTTPStatus.isAboutResource(status)
    }
}
