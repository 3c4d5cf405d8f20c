package import FoundationEssentials
internal import HTTPTypes

/// One request on its way through a cache.
package struct HTTPCacheTransaction<Failure: Error>: Sendable {
    /// Asks a server for a response. Throws `CancellationError` alone.
    package typealias Fetch = @Sendable (TransferRequest) async throws -> FetchOutcome<Failure>

    /// The answer to a request.
    package struct Answer: Sendable {
        package let response: HTTPCacheResponse
        /// The failure of the server, where a stored response is used instead; else `nil`.
        package var failure: Failure?
    }

    typealias Entry = (head: StoredResponse, body: Data)

    let request: TransferRequest
    let control: CacheControl
    let policy: HTTPCachePolicy
    let key: HTTPCacheKey
    /// The digest of the request's credential, if it counts here.
    private let credential: String?
    let storage: any HTTPCacheStorage
    let rules: HTTPCacheRules
    let now: @Sendable () -> Date
    private let fetch: Fetch

    /// - Parameter credentials: Tells responses stored for one credential from those for another; `nil`, the default,
    ///   if the storage does.
    package init(
        request: TransferRequest,
        policy: HTTPCachePolicy,
        storage: any HTTPCacheStorage,
        rules: HTTPCacheRules,
        now: @escaping @Sendable () -> Date,
        credentials: CredentialDigester? = nil,
        fetch: @escaping Fetch
    ) {
        self.request = request
        control = CacheControl(request.headers)
        self.policy = policy
        credential = credentials?.digest(of: request)
        key = HTTPCacheKey(request.url, credential: credential)
        self.storage = storage
        self.rules = rules
        self.now = now
        self.fetch = fetch
    }

    /// Answers the request.
    ///
    /// - Throws: The failure of the server, if nothing stored may answer instead; `CancellationError`.
    package func run() async throws -> Answer {
        if policy.lookup == .bypass { return try await answerOfServer() }
        switch request.method {
        case .get where request.body != nil, .head where request.body != nil:
            // The meaning of a body here is the server's alone (RFC 9110, section 9.3.1), and no key has it.
            return try await answerOfServer()
        case .get, .head:
            // Conditions that only the origin may answer keep the store out of it.
            let isForOrigin = !rules.ignoresServer && Preconditions.areForOrigin(request)
            let entry = isForOrigin ? nil : await storage.response(for: key.text, where: mayUse)
            if let answer = answerWithoutAsking(entry) { return answer }
            guard let entry else { return Answer(response: try await loadAnew()) }
            return try await validate(entry)
        case .options, .trace:
            return try await answerOfServer()
        default:
            return Answer(response: try await unsafe())
        }
    }

    /// `true` if the server is not asked, whatever is stored.
    private var mustNotAsk: Bool {
        control.onlyIfCached || policy.lookup == .onlyIfCached || policy.lookup == .offline
    }

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

    // Not inlined, as the next two: a load keeps the frame of the call that waits for the server.

    /// Returns the response of the server, which the store has no part in.
    @inline(never)
    private func answerOfServer() async throws -> Answer {
        Answer(response: network(try await load(request).body))
    }

    /// Answers GET or HEAD; returns `nil` if the server has to be asked.
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
        // A HEAD needs no condition: its answer is as short as a 304.
        let isConditional = request.method == .get && policy.lookup != .reload && entry.head.hasValidator
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
                await storage.remove(entry.head, for: key.text)
            }
            throw failure
        case .notModified(let body) where isConditional:
            // A 304 about something else: nothing is known of the requested resource.
            guard entry.head.isValidated(by: body.response) else { return Answer(response: try await loadAnew()) }
            let loaded = Loaded(body: body, requestTime: requestTime, responseTime: now())
            return Answer(response: await validated(entry, by: loaded))
        case .fetched(let body), .notModified(let body):
            let loaded = Loaded(body: body, requestTime: requestTime, responseTime: now())
            return Answer(response: await replaced(entry, by: loaded, isConditional: isConditional))
        }
    }

    /// Returns the answer once the server has sent another response, or the head of one.
    private func replaced(_ entry: Entry, by loaded: Loaded, isConditional: Bool) async -> HTTPCacheResponse {
        let response = loaded.body.response
        if HTTPStatus.isServerFailure(response.status), isAllowed(entry, insteadOf: .serverFailure) {
            return served(entry, .staleBecauseOfFailure, metrics: loaded.body.metrics)
        }
        if request.method == .head {
            if response.status == 200 { await updateStored(entry, by: loaded) }
            return network(loaded.body)
        }
        let answer = await stored(loaded, hidesConditions: isConditional)
        // The server has another answer by now, only not one to keep.
        if answer.stored == nil, HTTPStatus.isAboutResource(response.status) {
            await storage.remove(entry.head, for: key.text)
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
            await storage.remove(entry.head, for: key.text)
        } else if !control.noStore {
            await storage.update(head, replacing: entry.head, for: key.text)
        }
        var answer = served((head, entry.body), .validated, metrics: loaded.body.metrics)
        if !isStorable { answer.stored = nil }
        return answer
    }

    /// Updates or invalidates a stored GET by the answer to a HEAD (RFC 9111, section 4.3.5).
    private func updateStored(_ entry: Entry, by loaded: Loaded) async {
        let (head, isStorable) = entry.head.updated(
            by: loaded.body.response,
            to: request,
            requestTime: loaded.requestTime,
            responseTime: loaded.responseTime
        )
        if entry.head.isDescribed(by: loaded.body.response), isStorable {
            await storage.update(head, replacing: entry.head, for: key.text)
        } else {
            await storage.remove(entry.head, for: key.text)
        }
    }

    /// Stores a response that came, if it may be.
    ///
    /// - Parameter hidesConditions: A Boolean value that indicates whether the request's own conditions were replaced,
    ///   so that its server could not answer them. The stored response does.
    private func stored(_ loaded: Loaded, hidesConditions: Bool = false) async -> HTTPCacheResponse {
        var answer = network(loaded.body)
        guard let head = storedHead(of: loaded) else { return answer }
        let request = request
        await storage.store(head, body: loaded.body.data, for: key.text) { !head.isVarying || $0.matches(request) }
        answer.stored = head
        if hidesConditions, !rules.servesWhole, Preconditions.areMet(request, by: head, now: now()) {
            answer.becomeNotModified()
        }
        return answer
    }

    /// Returns the head to be stored with a response; `nil` if it must not be stored.
    private func storedHead(of loaded: Loaded) -> StoredResponse? {
        let head = StoredResponse(
            request: request,
            response: loaded.body.response,
            requestTime: loaded.requestTime,
            responseTime: loaded.responseTime
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

    /// Sends a request whose method may change the stored resource (RFC 9111, section 4.4).
    private func unsafe() async throws -> HTTPCacheResponse {
        let loaded = try await load(request)
        guard (200..<400).contains(loaded.body.response.status) else { return network(loaded.body) }
        for key in HTTPCacheKey.invalidated(by: request, loaded.body.response, credential: credential) {
            await storage.removeAll(for: key.text)
        }
        return await stored(loaded)
    }

    struct Loaded {
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
}
