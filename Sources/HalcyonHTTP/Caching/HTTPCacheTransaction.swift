package import FoundationEssentials
internal import HTTPTypes

/// One GET without a body on its way through a cache for HTTP (RFC 9111, RFC 5861, RFC 8246).
///
/// It answers from stored responses while they are fresh, validates stale ones, and stores those that may be stored. It
/// is private unless its rules say otherwise, and stores responses to requests with credentials in either case, as its callers
/// keep users apart. Stored responses answer whole: a `Range` and conditions of the request's own go to the server alone.
package struct HTTPCacheTransaction<Failure: Error>: Sendable {
    /// Asks a server for a response. Throws `CancellationError` alone.
    package typealias Fetch = @Sendable (TransferRequest) async throws -> FetchOutcome<Failure>

    /// The answer to a request.
    package struct Answer: Sendable {
        package let response: HTTPCacheResponse
        /// The failure of the server, where a stored response is used instead; else `nil`.
        package var failure: Failure?
    }

    private typealias Entry = (head: StoredResponse, body: Data)

    private let request: TransferRequest
    private let control: CacheControl
    private let policy: HTTPCachePolicy
    private let storage: any HTTPCacheStorage
    private let rules: HTTPCacheRules
    private let now: @Sendable () -> Date
    private let fetch: Fetch

    package init(
        request: TransferRequest,
        policy: HTTPCachePolicy,
        storage: any HTTPCacheStorage,
        rules: HTTPCacheRules,
        now: @escaping @Sendable () -> Date,
        fetch: @escaping Fetch
    ) {
        self.request = request
        control = CacheControl(request.headers)
        self.policy = policy
        self.storage = storage
        self.rules = rules
        self.now = now
        self.fetch = fetch
    }

    /// Answers the request.
    ///
    /// - Throws: The failure of the server, if nothing stored may answer instead; `CancellationError`.
    package func run() async throws -> Answer {
        let entry = await storage.response(where: mayUse)
        if let answer = answerWithoutAsking(entry) { return answer }
        guard let entry else { return Answer(response: try await loadAnew()) }
        return try await validate(entry)
    }

    /// `true` if the server is not asked, whatever is stored.
    private var mustNotAsk: Bool { control.onlyIfCached || policy.lookup == .offline }

    private func decision(_ head: StoredResponse) -> ReuseDecision {
        ReuseDecision(of: head, for: control, policy: policy, at: now(), rules: rules)
    }

    /// Returns whether a stored response is of use: another may be that is stored elsewhere.
    private func mayUse(_ head: StoredResponse) -> Bool {
        guard rules.ignoresServer || head.matches(request) else { return false }
        guard mustNotAsk else { return true }
        return switch decision(head) {
        case .fresh, .stale: true
        case .staleWhileRevalidating, .afterValidation: false
        }
    }

    // Not inlined, as the next one: a load keeps the frame of the call that waits for the server.

    /// Answers from what is stored; returns `nil` if the server has to be asked.
    @inline(never)
    private func answerWithoutAsking(_ entry: Entry?) -> Answer? {
        guard let entry else { return mustNotAsk ? Answer(response: unavailable()) : nil }
        switch decision(entry.head) {
        case .fresh:
            return Answer(response: served(entry, .stored))
        case .stale:
            return Answer(response: served(entry, .stale))
        case .staleWhileRevalidating where !mustNotAsk:
            return Answer(response: served(entry, .staleWhileRevalidating))
        case .staleWhileRevalidating, .afterValidation:
            return mustNotAsk ? Answer(response: unavailable()) : nil
        }
    }

    /// Gets a response without the help of a stored one.
    private func loadAnew() async throws -> HTTPCacheResponse {
        let loaded = try await load(request)
        return await stored(loaded)
    }

    /// Asks the server whether a stored response is still valid.
    @inline(never)
    private func validate(_ entry: Entry) async throws -> Answer {
        let isConditional = policy.lookup != .reload && entry.head.hasValidator
        let requestTime = now()
        switch try await fetch(isConditional ? entry.head.validating(request) : request) {
        case .unreachable(let failure):
            guard !Task.isCancelled, isAllowed(entry, insteadOf: .disconnected) else { throw failure }
            return Answer(response: served(entry, .staleBecauseOfFailure), failure: failure)
        case .refused(let failure, let status):
            guard let status else { throw failure }
            if HTTPStatus.isServerFailure(status), isAllowed(entry, insteadOf: .serverFailure) {
                return Answer(response: served(entry, .staleBecauseOfFailure), failure: failure)
            }
            if HTTPStatus.isAboutResource(status), status != 200, status != 203 {
                await storage.remove(entry.head)
            }
            throw failure
        case .notModified(let body) where isConditional:
            // A 304 about something else: nothing is known of the requested resource.
            guard entry.head.isValidated(by: body.response) else { return Answer(response: try await loadAnew()) }
            let loaded = Loaded(body: body, requestTime: requestTime, responseTime: now())
            return Answer(response: await validated(entry, by: loaded))
        case .fetched(let body), .notModified(let body):
            let loaded = Loaded(body: body, requestTime: requestTime, responseTime: now())
            return Answer(response: await replaced(entry, by: loaded))
        }
    }

    /// Returns the answer once the server has sent another response.
    private func replaced(_ entry: Entry, by loaded: Loaded) async -> HTTPCacheResponse {
        let response = loaded.body.response
        if HTTPStatus.isServerFailure(response.status), isAllowed(entry, insteadOf: .serverFailure) {
            return served(entry, .staleBecauseOfFailure, metrics: loaded.body.metrics)
        }
        let answer = await stored(loaded)
        // The server has another answer by now, only not one to keep.
        if answer.stored == nil, HTTPStatus.isAboutResource(response.status) {
            await storage.remove(entry.head)
        }
        return answer
    }

    private func isAllowed(_ entry: Entry, insteadOf failure: ReuseDecision.Failure) -> Bool {
        policy.lookup != .reload
            && ReuseDecision.isAllowed(
                entry.head,
                insteadOf: failure,
                for: control,
                policy: policy,
                at: now(),
                rules: rules
            )
    }

    private func validated(_ entry: Entry, by loaded: Loaded) async -> HTTPCacheResponse {
        let (head, isStorable) = entry.head.updated(
            by: loaded.body.response,
            to: request,
            requestTime: loaded.requestTime,
            responseTime: loaded.responseTime
        )
        if !isStorable {
            await storage.remove(entry.head)
        } else if !control.noStore {
            await storage.update(head, replacing: entry.head)
        }
        var answer = served((head, entry.body), .validated, metrics: loaded.body.metrics)
        if !isStorable { answer.stored = nil }
        return answer
    }

    /// Stores a response that came, if it may be.
    private func stored(_ loaded: Loaded) async -> HTTPCacheResponse {
        var answer = network(loaded.body)
        guard let head = storedHead(of: loaded) else { return answer }
        await storage.store(head, body: loaded.body.data) { [request] in !head.isVarying || $0.matches(request) }
        answer.stored = head
        return answer
    }

    /// Returns the head to be stored with a response; `nil` if it must not be stored.
    private func storedHead(of loaded: Loaded) -> StoredResponse? {
        let head = StoredResponse(
            request: request,
            response: loaded.body.response,
            requestTime: loaded.requestTime,
            responseTime: loaded.responseTime,
            isShared: rules.isShared
        )
        guard rules.ignoresServer else { return head }
        if let head, !head.isVarying || !rules.hasUnknownFields { return head }
        // The server does not let it be kept, so those that heed it have to ask.
        return StoredResponse(
            toBeValidated: loaded.body.response,
            requestTime: loaded.requestTime,
            responseTime: loaded.responseTime
        )
    }

    private struct Loaded {
        let body: HTTPResponseBody
        let requestTime: Date
        let responseTime: Date
    }

    private func load(_ request: TransferRequest) async throws -> Loaded {
        let requestTime = now()
        let body = try await fetch(request).get()
        return Loaded(body: body, requestTime: requestTime, responseTime: now())
    }

    private func network(_ body: HTTPResponseBody) -> HTTPCacheResponse {
        HTTPCacheResponse(
            response: body.response,
            data: body.data,
            source: .network,
            metrics: body.metrics,
            stored: nil
        )
    }

    /// Returns the answer made of a stored response, with its age.
    private func served(
        _ entry: Entry,
        _ source: HTTPCacheResponse.Source,
        metrics: TransferMetrics? = nil
    ) -> HTTPCacheResponse {
        let (head, body) = entry
        var headers = head.headers
        if source != .validated {
            let age = min(head.age(at: now()), Double(DeltaSeconds.maximum))
            headers[.age] = String(Int(age))
            // Those must not be used again without validation (RFC 9111, section 5.2.2.4).
            for name in head.cacheControl.noCacheFields { headers[name] = nil }
        }
        return HTTPCacheResponse(
            response: TransferResponse(
                status: head.status,
                headers: headers,
                url: head.url,
                expectedBodyBytes: body.count
            ),
            data: body,
            source: source,
            metrics: metrics,
            stored: head
        )
    }

    /// Returns the answer where nothing is stored and the server must not be asked (RFC 9111, section 5.2.1.7).
    private func unavailable() -> HTTPCacheResponse {
        let response = TransferResponse(status: 504, url: request.url, expectedBodyBytes: 0)
        return HTTPCacheResponse(response: response, data: Data(), source: .unavailable, metrics: nil, stored: nil)
    }
}

extension TransferError {
    /// A Boolean value that indicates whether the server could not be reached, or did not manage to answer. Neither a
    /// refusal of this program nor doubt about the identity of the server counts.
    package var isDisconnection: Bool {
        switch self {
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut, .tlsFailure, .malformedResponse, .other: true
        default: false
        }
    }
}
