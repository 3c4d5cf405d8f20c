internal import HTTPTypes
internal import Halcyon
internal import Synchronization

/// Adds the headers of an origin to requests for it, and keeps redirects within the allowed sources. Rejects requests to a
/// host that has as many transfers as may be under way.
struct OriginHooks: DownloadHooks {
    let rules: SourceRules
    let transfers: OriginTransfers
    /// The server adds the same for every client.
    var cacheIdentity: DownloadIdentity? { .unchanged }

    func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        guard transfers.mayBegin(request) else { return nil }
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

/// Counts the transfers of each host that are under way, or wait for their turn, so that a slow host keeps no others waiting.
final class OriginTransfers: Sendable {
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter limit: The transfers of a host; those that begin at the same moment may be a few more.
    init(limit: Int) {
        self.limit = limit
    }

    func mayBegin(_ request: TransferRequest) -> Bool {
        counts.withLock { $0[Self.host(of: request), default: 0] < limit }
    }

    func note(_ event: ImageDownloader.Event) {
        let host = Self.host(of: event.request)
        switch event.kind {
        case .started: counts.withLock { $0[host, default: 0] += 1 }
        case .finished: counts.withLock { $0[host] = $0[host].flatMap { $0 > 1 ? $0 - 1 : nil } }
        case .responded: break
        }
    }

    private static func host(of request: TransferRequest) -> String { request.url.host() ?? "" }
}

extension OriginTransfers: Hashable {
    static func == (left: OriginTransfers, right: OriginTransfers) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
