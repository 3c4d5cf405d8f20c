import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting

@testable import HalcyonHTTP

/// The cache of one URL over a scripted transport, with a clock that stands still.
struct CachingFixture {
    let url: URL
    let transport = ScriptedTransport()
    let storage = InMemoryResponses()
    let clock = ManualStoreClock()
    private let rules: HTTPCacheRules

    init(_ rules: HTTPCacheRules = HTTPCacheRules()) {
        guard let url = URL(string: "https://images.example/picture") else { fatalError("url") }
        self.url = url
        self.rules = rules
    }

    /// What the server answers from now on.
    func serve(_ body: String, _ headers: HTTPFields, status: Int = 200) {
        transport.setRoute(url, .init(status: status, headers: headers, body: Data(body.utf8)))
    }

    func failing(_ error: TransferError = .cannotConnect("images.example")) {
        transport.setRoute(url, .init(error: error))
    }

    func request(_ headers: HTTPFields = [:]) -> TransferRequest {
        TransferRequest(url: url, headers: headers)
    }

    func get(
        _ headers: HTTPFields = [:],
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) async throws -> HTTPCacheResponse {
        try await response(to: request(headers), policy: policy)
    }

    /// Returns the response to a request.
    ///
    /// - Parameter transport: The transport to the server. Default: the scripted one.
    func response(
        to request: TransferRequest,
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        over transport: (any HTTPTransport)? = nil
    ) async throws -> HTTPCacheResponse {
        let bodies = BodyLoader(transport: transport ?? self.transport)
        let transaction = HTTPCacheTransaction<TransferError>(
            request: request,
            policy: policy,
            storage: storage,
            rules: rules,
            now: { [clock] in clock.date }
        ) { request in
            do {
                return FetchOutcome(try await bodies.load(request, priority: PriorityBox(.normal)))
            } catch let error as TransferError {
                return error.isDisconnection ? .unreachable(error) : .refused(error, status: nil)
            }
        }
        return try await transaction.run().response
    }

    /// What the server was asked last.
    var lastRequest: TransferRequest? { transport.transfers.last?.request }

    /// A response as it is stored, made now.
    func stored(
        _ headers: HTTPFields,
        status: Int = 200,
        request: TransferRequest? = nil,
        isShared: Bool = false
    ) -> StoredResponse? {
        StoredResponse(
            request: request ?? self.request(),
            response: TransferResponse(status: status, headers: headers, url: url),
            requestTime: clock.date,
            responseTime: clock.date,
            isShared: isShared
        )
    }
}

/// The responses of one URL in memory.
final class InMemoryResponses: HTTPCacheStorage {
    private let responses = Lock<[(head: StoredResponse, body: Data)]>([])

    /// The stored heads, the latest last.
    var heads: [StoredResponse] { responses.withLock { $0.map(\.head) } }

    func response(where matches: @Sendable (StoredResponse) -> Bool) async -> (head: StoredResponse, body: Data)? {
        let found = responses.withLock { $0 }.filter { matches($0.head) }
        return found.max { $0.head.responseTime < $1.head.responseTime }
    }

    func store(
        _ head: StoredResponse,
        body: Data,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        responses.withLock { responses in
            responses.removeAll { isReplaced($0.head) }
            responses.append((head, body))
        }
    }

    func update(_ head: StoredResponse, replacing previous: StoredResponse) async {
        responses.withLock { responses in
            guard let index = responses.firstIndex(where: { $0.head == previous }) else { return }
            responses[index].head = head
        }
    }

    func remove(_ head: StoredResponse) async {
        responses.withLock { $0.removeAll { $0.head == head } }
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
