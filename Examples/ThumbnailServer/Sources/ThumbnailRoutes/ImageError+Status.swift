internal import HTTPTypes
internal import Halcyon

extension ImageError {
    /// The status of the response to a client, whose request was good if the origin has no such image.
    var statusForClients: HTTPResponse.Status {
        switch reason {
        case .status(404), .status(410): .notFound
        case .notAcceptable: .notAcceptable
        case .transfer(.timedOut): .gatewayTimeout
        case .serverUnavailable, .downloaderShutDown: .serviceUnavailable
        default: stage == .load || stage == .decode ? .badGateway : .internalServerError
        }
    }
}
