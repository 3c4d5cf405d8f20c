internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import HalcyonHTTP
internal import HalcyonSystem
internal import HalcyonTesting

/// Plays one test against an origin of its own, through the storage, the keys and the rules of the pipeline.
struct CacheTestClient {
    private let test: CacheTest
    private let uuid: String
    private let clock: ManualStoreClock
    private let origin: CacheTestOrigin
    private let storage: DiskResponseStorage
    private let bodies: BodyLoader

    /// The rules of the pipeline, without its lifetime for responses that state none: the standard leaves that to a
    /// cache, and most tests presume that such a response is not reused.
    private static let rules: HTTPCacheRules = {
        var rules = HTTPCacheRules.images
        rules.defaultLifetime = nil
        return rules
    }()

    /// - Parameters:
    ///   - storage: A storage that may hold the responses of other tests, which have other URLs.
    ///   - clock: The clock of the storage.
    init(_ test: CacheTest, storage: DiskResponseStorage, clock: ManualStoreClock) {
        self.test = test
        uuid = UUID().uuidString.lowercased()
        self.clock = clock
        origin = CacheTestOrigin(test, uuid: uuid, clock: clock)
        self.storage = storage
        bodies = BodyLoader(transport: origin)
    }

    /// Returns the first result that was not as expected; `nil` if everything was.
    func run() async -> CacheTestFailure? {
        var responses: [HTTPCacheResponse] = []
        for (index, configuration) in test.requests.enumerated() {
            let answer: HTTPCacheResponse
            do {
                let request = try request(configuration, number: index + 1, previous: responses.last)
                answer = try await response(to: request)
                if answer.source == .staleWhileRevalidating {
                    // As in the background, where a failure is found again by the next load.
                    let policy = HTTPCachePolicy(lookup: .revalidate, staleIfError: .never)
                    _ = try? await response(to: request, policy: policy)
                }
            } catch {
                return .assertion("request \(index + 1): \(error)")
            }
            responses.append(answer)
            if configuration.pausesAfter ?? false { clock.advance(by: 3) }
            let check = CacheTestResponseCheck(configuration, answer, number: index + 1, uuid: uuid)
            if let failure = check.failure() { return failure }
        }
        return CacheTestStateCheck(test: test, responses: responses, seen: origin.seen).failure()
    }

    /// Returns the response to a request, as a load of the pipeline gets its original.
    private func response(
        to request: TransferRequest,
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) async throws -> HTTPCacheResponse {
        guard let responses = storage.responses(to: request) else {
            throw CacheTestFailure.setup("the pipeline caches no response to \(request.method)")
        }
        let transaction = HTTPCacheTransaction<TransferError>(
            request: request,
            policy: policy,
            storage: responses,
            rules: Self.rules,
            now: { [clock] in clock.date }
        ) { [bodies] request in
            do {
                return FetchOutcome(try await bodies.load(request, priority: PriorityBox(.normal)))
            } catch let error as TransferError {
                return error.isDisconnection ? .unreachable(error) : .refused(error, status: nil)
            }
        }
        return try await transaction.run().response
    }

    private func request(
        _ configuration: CacheTestRequest,
        number: Int,
        previous: HTTPCacheResponse?
    ) throws -> TransferRequest {
        var text = "https://origin.example/test/\(uuid)"
        if let filename = configuration.filename { text += "/\(filename)" }
        if let query = configuration.query { text += "?\(query)" }
        guard let url = URL(string: text), let method = HTTPRequest.Method(configuration.method ?? "GET") else {
            throw TransferError.invalidURL(text)
        }
        var request = TransferRequest(url: url, method: method, body: configuration.body.map { Data($0.utf8) })
        for field in configuration.headers ?? [] {
            guard let name = HTTPField.Name(field.name) else { continue }
            request.headers.append(HTTPField(name: name, value: value(of: field, configuration, previous)))
        }
        for (name, value) in [("Test-Name", test.name), ("Test-ID", test.id), ("Req-Num", String(number))] {
            if let name = HTTPField.Name(name) { request.headers.append(HTTPField(name: name, value: value)) }
        }
        return request
    }

    /// Dates are counted from the moment of the response before.
    private func value(
        of field: CacheTestField,
        _ configuration: CacheTestRequest,
        _ previous: HTTPCacheResponse?
    ) -> String {
        guard configuration.usesMagicConditions ?? false, let offset = field.value?.integer,
            CacheTestDate.isDate(field.name), let moment = previous?.serverTime
        else { return field.value?.text ?? "" }
        let obsoleteDates = configuration.obsoleteDates
        return CacheTestDate.text(offset, from: moment, name: field.name, obsoleteDates: obsoleteDates)
    }
}

/// The reason for which a test did not pass.
enum CacheTestFailure: Error, CustomStringConvertible {
    /// A condition that the test presumes does not hold.
    case setup(String)
    case assertion(String)

    var description: String {
        switch self {
        case .setup(let reason): "set-up: \(reason)"
        case .assertion(let reason): reason
        }
    }
}

extension HTTPCacheResponse {
    func value(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { response.headers[$0] }
    }

    /// The moment at which the origin made the response.
    var serverTime: Date? {
        value("Server-Now").flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
