internal import HTTPTypes
internal import Halcyon

/// Adds the headers of an origin to requests for it, and keeps redirects within the allowed sources.
struct OriginHooks: DownloadHooks {
    let rules: SourceRules
    /// The server adds the same for every client.
    var cacheIdentity: DownloadIdentity? { .unchanged }

    func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        var request = request
        for (name, value) in rules.headers(for: request.url) {
            if let name = HTTPField.Name(name) { request.headers[name] = value }
        }
        return request
    }

    func request(after response: TransferResponse, proposed request: TransferRequest) async throws -> TransferRequest? {
        rules.allows(request.url) ? request : nil
    }
}
