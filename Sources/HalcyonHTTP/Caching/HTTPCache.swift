public import FoundationEssentials
internal import HalcyonConcurrency

/// A private cache for HTTP (RFC 9111, RFC 5861, RFC 8246) over any transport and any storage.
///
/// It answers from stored responses while they are fresh, validates stale ones, and stores those that may be stored. It
/// is private: `s-maxage` means nothing to it, and responses marked `private`, or to requests with credentials, are
/// stored. A request that carries a credential (`Authorization`, `Cookie`, ``TransferRequest/credential``, a user name
/// in the URL) has a cache of its own: it is answered only from what was stored for an equal credential, and its
/// responses answer no other. Credentials that the transport adds are the same for all requests and do not count.
///
/// The key is the URL of the request and a digest of its credential, keyed by a secret outside of the storage, so that
/// the credential cannot be guessed from it. Redirects are responses like others, stored and reused by their own
/// headers, and followed here. Two equal requests at a time are two transfers: coalescing them is the caller's task.
public final class HTTPCache: Sendable {
    private struct State {
        var refreshes: [HTTPCacheKey: Refresh] = [:]
        var nextID: UInt64 = 0
    }

    private struct Refresh {
        let id: UInt64
        let task: Task<Void, Never>
    }

    /// The choices that the standard leaves to a cache.
    public let rules: HTTPCacheRules
    private let storage: any HTTPCacheStorage
    private let bodies: BodyLoader
    private let now: @Sendable () -> Date
    private let credentials = CredentialDigester.installation
    private let state = Lock(State())

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - transport: The transport that carries the requests.
    ///   - storage: The storage of the responses.
    ///   - rules: The choices that the standard leaves to a cache.
    ///   - now: Returns the date. Default: the system's.
    public init(
        transport: any HTTPTransport,
        storage: any HTTPCacheStorage,
        rules: HTTPCacheRules = HTTPCacheRules(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        bodies = BodyLoader(transport: transport)
        self.storage = storage
        self.rules = rules
        self.now = now
    }

    /// Ends the refreshes that are under way.
    deinit {
        for refresh in state.withLock({ $0.refreshes.values }) {
            refresh.task.cancel()
        }
    }

    /// Answers a request from the store or from its server.
    ///
    /// `Cache-Control` of the request is obeyed, conditions (`If-None-Match`, `If-Modified-Since`) and a `Range` of
    /// bytes are answered from the store where it can. Unsafe methods go through and remove what they made invalid; a
    /// GET with a body goes through, and is not stored. The bounds of the request hold for all redirects together.
    ///
    /// - Throws: ``TransferError`` if the server fails and nothing stored may answer, or redirects lead nowhere.
    public func response(
        for request: TransferRequest,
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) async throws -> HTTPCacheResponse {
        var hop = request
        hop.followsRedirects = false
        var count = 0
        var allowance = TransferAllowance(request)
        while true {
            let start = ContinuousClock.now
            let answer: HTTPCacheResponse
            do {
                answer = try await singleResponse(for: allowance.bounded(hop), policy: policy)
            } catch let error as TransferError {
                throw allowance.restated(error)
            }
            guard request.followsRedirects, let next = try Redirection(answer.response, to: hop, after: count) else {
                return answer
            }
            // An answer from the store takes none of the allowance.
            if let metrics = answer.metrics {
                allowance.spend(ContinuousClock.now - start - metrics.queued, answer.response)
            }
            hop = next.request
            // A stored redirect is not for one client, and what is stored is for all.
            hop.removeChainCookies()
            count += 1
        }
    }

    private func transaction(
        _ request: TransferRequest,
        policy: HTTPCachePolicy,
        priority: PriorityBox
    ) -> HTTPCacheTransaction<TransferError> {
        HTTPCacheTransaction(
            request: request,
            policy: policy,
            storage: storage,
            rules: rules,
            now: now,
            credentials: credentials
        ) { [bodies] request in
            do {
                return FetchOutcome(try await bodies.load(request, priority: priority))
            } catch let error as TransferError {
                return error.isDisconnection ? .unreachable(error) : .refused(error, status: nil)
            }
        }
    }

    private func singleResponse(
        for request: TransferRequest,
        policy: HTTPCachePolicy
    ) async throws -> HTTPCacheResponse {
        let priority = PriorityBox(request.priority)
        let answer = try await transaction(request, policy: policy, priority: priority).run().response
        if answer.source == .staleWhileRevalidating { refresh(request) }
        return answer
    }

    /// Waits until no response is being refreshed in the background.
    public func waitForRefreshes() async {
        while let refresh = state.withLock({ $0.refreshes.values.first }) {
            await refresh.task.value
        }
    }

    /// Fetches a response anew in the background, unless that is under way. Cancelled together with the cache.
    private func refresh(_ request: TransferRequest) {
        // The task must not keep the cache, whose end is to cancel it.
        let priority = PriorityBox(.low)
        let policy = HTTPCachePolicy(lookup: .revalidate, staleIfError: .never)
        let transaction = self.transaction(request, policy: policy, priority: priority)
        let key = transaction.key
        let lock = state
        lock.withLock { state in
            guard state.refreshes[key] == nil else { return }
            state.nextID += 1
            let id = state.nextID
            let task = Task.detached {
                // The next request for the response finds a failure again.
                _ = try? await transaction.run()
                lock.withLock { state in
                    if state.refreshes[key]?.id == id { state.refreshes[key] = nil }
                }
            }
            state.refreshes[key] = Refresh(id: id, task: task)
        }
    }
}
