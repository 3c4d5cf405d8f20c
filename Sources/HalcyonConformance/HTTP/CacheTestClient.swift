internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import HalcyonHTTP
internal import HalcyonTesting

/// Plays one test against a cache with an origin of its own, over the storage of the pipeline.
struct CacheTestClient {
    private let test: CacheTest
    private let uuid: String
    private let clock: ManualStoreClock
    private let origin: CacheTestOrigin
    private let cache: HTTPCache

    /// - Parameters:
    ///   - storage: A storage that may hold the responses of other tests, which have other URLs.
    ///   - clock: The clock of the storage.
    init(_ test: CacheTest, storage: DiskResponseStorage, clock: ManualStoreClock) {
        self.test = test
        uuid = UUID().uuidString.lowercased()
        self.clock = clock
        origin = CacheTestOrigin(test, uuid: uuid, clock: clock)
        cache = HTTPCache(transport: origin, storage: storage, now: { clock.date })
    }

    /// Returns the first result that was not as expected; `nil` if everything was.
    func run() async -> CacheTestFailure? {
        var responses: [HTTPCacheResponse] = []
        for (index, configuration) in test.requests.enumerated() {
            let answer: HTTPCacheResponse
            do {
                let request = try request(configuration, number: index + 1, previous: responses.last)
                answer = try await cache.response(for: request, policy: configuration.policy)
            } catch {
                return .assertion("request \(index + 1): \(error)")
            }
            await cache.waitForRefreshes()
            responses.append(answer)
            if configuration.pausesAfter ?? false { clock.advance(by: 3) }
            let check = CacheTestResponseCheck(configuration, answer, number: index + 1, uuid: uuid)
            if let failure = check.failure() { return failure }
        }
        return CacheTestStateCheck(test: test, responses: responses, seen: origin.seen).failure()
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
        request.followsRedirects = configuration.redirect != "manual"
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

extension CacheTestRequest {
    /// The cache modes of the Fetch standard.
    fileprivate var policy: HTTPCachePolicy {
        switch cacheMode {
        case "no-cache": HTTPCachePolicy(lookup: .revalidate)
        case "no-store": HTTPCachePolicy(lookup: .bypass)
        case "reload": HTTPCachePolicy(lookup: .reload)
        case "only-if-cached": HTTPCachePolicy(lookup: .onlyIfCached)
        case "force-cache": HTTPCachePolicy(lookup: .automatic)
        default: HTTPCachePolicy()
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
