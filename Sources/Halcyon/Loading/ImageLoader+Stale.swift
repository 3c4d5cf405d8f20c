internal import HalcyonHTTP

/// Why an image may be wanted although its time is over.
enum StaleUse: Sendable {
    /// The request forbids the network.
    case offline
    /// Its server does not answer, or answers that it has a problem.
    case failure(ReuseDecision.Failure)

    /// `nil` if an error is no reason.
    init?(_ reason: ImageError.Reason) {
        switch reason {
        case .notCached:
            self = .offline
        case .transfer(let error) where error.isDisconnection:
            self = .failure(.disconnected)
        case .serverUnavailable, .meteredNetwork, .failedBefore:
            // Nothing was sent, which is as good as no connection.
            self = .failure(.disconnected)
        case .status(let status) where HTTPStatus.isServerFailure(status):
            self = .failure(.serverFailure)
        default:
            return nil
        }
    }
}

extension ImageLoader {
    /// Removes an image whose server has it no longer, unless another took its place since the load began. Its original has
    /// gone already.
    func forget(_ key: ImageKey, ifGone error: ImageError, request: LoadRequest) async {
        guard followsServer(request) != nil, case .status(let status) = error.reason,
            HTTPStatus.isAboutResource(status)
        else { return }
        let cache = target(request.options.cache)
        let claim = StoreClaim(load: request.permits, age: .new)
        cache.forget(key, claim)
        guard !request.options.processing.isIdentity else { return }
        await cache.disk.remove(key.processedDiskKey, if: cache.admission(of: claim, .image(key)))
    }

    /// A processed image from disk whose time is over, where the original that it could be made of anew is not to be had.
    ///
    /// An original on disk that may be used has been used already. Most have none there: what was made of them is all that
    /// is left to show without their server.
    ///
    /// - Returns: `nil` if there is none, or it must not be used.
    /// - Throws: `CancellationError`.
    func staleImage(
        _ key: ImageKey,
        insteadOf error: ImageError,
        request: LoadRequest,
        context: WorkContext
    ) async throws -> ImageResponse? {
        guard !request.options.processing.isIdentity, followsServer(request) != nil else { return nil }
        guard let use = StaleUse(error.reason),
            let found = try await processedImageFromDisk(
                key,
                request: request,
                context: context,
                insteadOf: use
            )
        else { return nil }
        let claim = StoreClaim(load: request.permits, age: found.age)
        remember(found.response, key: key, request: request, claim: claim, found.validity)
        return found.response
    }

    /// Whether an image whose time is over may be used.
    func mayUse(_ validity: OriginalValidity, _ use: StaleUse, for request: LoadRequest) -> Bool {
        guard let transfer = sentRequest(request.source, options: request.options) else { return false }
        let response = validity.response
        let control = CacheControl(transfer.headers)
        let rules = cacheRules(request.options.cache)
        let now = cache.disk.now()
        switch use {
        case .offline:
            let policy = HTTPCachePolicy(lookup: .offline)
            let reuse = ReuseDecision(of: response, for: control, policy: policy, at: now, rules: rules)
            return reuse == .fresh || reuse == .stale
        case .failure(let failure):
            let policy = HTTPCachePolicy(staleIfError: request.options.cache.staleIfError)
            return ReuseDecision.isAllowed(
                response,
                insteadOf: failure,
                for: control,
                policy: policy,
                at: now,
                rules: rules
            )
        }
    }
}
