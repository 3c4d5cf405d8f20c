import FoundationEssentials
import HTTPTypes
import HalcyonTesting

@testable import HalcyonHTTP

/// A cache over a scripted transport, with a clock that stands still.
struct CachingFixture {
    let url: URL
    let transport = ScriptedTransport()
    let storage = InMemoryHTTPCacheStorage()
    let clock = ManualStoreClock()
    let cache: HTTPCache

    init(_ rules: HTTPCacheRules = HTTPCacheRules()) {
        guard let url = URL(string: "https://images.example/picture") else { fatalError("url") }
        self.url = url
        cache = HTTPCache(transport: transport, storage: storage, rules: rules) { [clock] in clock.date }
    }

    /// What the server answers from now on.
    func serve(_ body: String, _ headers: HTTPFields, status: Int = 200) {
        transport.setRoute(url, .init(status: status, headers: headers, body: Data(body.utf8)))
    }

    func failing(_ error: TransferError = .cannotConnect("images.example")) {
        transport.setRoute(url, .init(error: error))
    }

    func request(_ headers: HTTPFields = [:], method: HTTPRequest.Method = .get) -> TransferRequest {
        TransferRequest(url: url, method: method, headers: headers)
    }

    func get(
        _ headers: HTTPFields = [:],
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        method: HTTPRequest.Method = .get
    ) async throws -> HTTPCacheResponse {
        try await cache.response(for: request(headers, method: method), policy: policy)
    }

    /// What the server was asked last.
    var lastRequest: TransferRequest? { transport.transfers.last?.request }

    /// A response as it is stored, made now.
    func stored(_ headers: HTTPFields, status: Int = 200, request: TransferRequest? = nil) -> StoredResponse? {
        StoredResponse(
            request: request ?? self.request(),
            response: TransferResponse(status: status, headers: headers, url: url),
            requestTime: clock.date,
            responseTime: clock.date
        )
    }
}

extension HTTPCacheResponse {
    var text: String { String(decoding: data, as: UTF8.self) }
}

extension HTTPField.Name {
    static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { fatalError("field name") }
        return name
    }
}
