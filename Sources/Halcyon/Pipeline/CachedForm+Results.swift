internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// A result on disk, as it was found.
struct StoredResult: Sendable {
    let entry: TierEntry
    let metadata: ProcessedImageMetadata
    /// The times of the look-up.
    let timings: ImageTimings
}

/// What is stored with a result of its original.
struct ResultProvenance: Sendable {
    /// The encoded bytes, for a serializer of the program; `nil` if they are not needed.
    let data: Data?
    /// The time and the requests for which it may be used; `nil` if no server decides about it.
    let validity: OriginalValidity?
    /// The digest of the original; `nil` if that is not known.
    let digest: ContentDigest?
}

/// A result that was found on disk.
struct FoundResult<Result: Sendable>: Sendable {
    let result: Result
    /// A Boolean value that indicates whether it is what the original makes; see ``CachedImage/isExact``.
    let isExact: Bool
    /// The validity of the result; `nil` if no server decides about it.
    let validity: OriginalValidity?
    /// The digest of the original that it was made of; `nil` if that is not known.
    let digest: ContentDigest?

    /// Returns the claim to store the result in memory.
    func claim(of request: ResolvedRequest) -> ContentClaim {
        ContentClaim(
            registrations: request.registrations,
            digest: digest,
            representation: validity?.representation ?? ""
        )
    }
}

/// The results of processors on disk.
extension CachedForm {
    /// Returns a result that may be used now; `nil` if there is none, or none that can be decoded.
    ///
    /// - Throws: `CancellationError`.
    func foundResult(for request: ResolvedRequest, context: WorkContext) async throws -> FoundResult<Result>? {
        guard request.isLookedUpAsResult else { return nil }
        return try await find(request, context: context)
    }

    /// Returns a result that is no longer fresh, where the original that it could be made of again is unavailable.
    ///
    /// An original on disk that may be used has been used already. Most results have none there, and are then all that
    /// can be shown without their server.
    ///
    /// - Returns: `nil` if there is none, or it must not be used.
    /// - Throws: `CancellationError`.
    func staleResult(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> FoundResult<Result>? {
        guard request.mayBeResult, request.followsServer, let use = StaleUse(error.reason),
            // An image about which the server would be asked is not used where it must not be.
            request.reach == .anywhere || request.reach == .thisMachine && !request.options.allowsNetwork
        else { return nil }
        return try await find(request, context: context, insteadOf: use)
    }

    /// Returns whether there is a result that may be used now. It is not decoded.
    ///
    /// - Throws: `CancellationError`.
    func hasResult(for request: ResolvedRequest, context: WorkContext) async throws -> Bool {
        guard request.isLookedUpAsResult else { return false }
        let cache = request.target
        let key = CacheKey(text: request.resultDiskKey)
        let found = try await cache.tiers.first(for: key, extending: .none, priority: context.priority) { entry, _ in
            guard let metadata = ProcessedImageMetadata(entry.metadata), cache.isCurrent(metadata, for: request.key),
                request.mayUse(validity(of: metadata, storedAt: entry.storedAt ?? cache.disk.now(), for: request))
            else { return nil as Bool? }
            return true
        }
        return found ?? false
    }

    /// Returns for how long and for which requests a stored result may be used. Where only the time at which the result
    /// was stored is known of the original, that counts as the time at which the original was received.
    func validity(
        of metadata: ProcessedImageMetadata,
        storedAt: Date,
        for request: ResolvedRequest
    ) -> OriginalValidity? {
        guard metadata.response == nil else { return metadata.validity }
        return request.cacheableTransfer.map { transfer in
            OriginalValidity(StoredResponse(url: transfer.url, responseTime: storedAt))
        }
    }

    /// Starts to store a result, if the options and the server allow that.
    ///
    /// - Parameter data: The encoded original, for a serializer of the program; `nil` if it was not needed.
    func storeResult(
        _ result: Result,
        for request: ResolvedRequest,
        madeOf data: Data?,
        _ caching: OriginalCaching,
        claim: ContentClaim,
        priority: PriorityBox
    ) -> Task<Void, Never>? {
        let policy = request.options.cache
        let (cache, validity) = (request.target, caching.validity)
        guard policy.storesOnDisk, request.isStoredAsResult, caching.effect == .store,
            !request.mustAsk(about: validity), request.storedResults.contains(madeIn: result.timings.processorTime)
        else { return nil }
        // Built-in encodings need the pixels alone.
        let needsData = !(policy.serializer is ImageSerializer) && request.encodedImage == nil
        let provenance = ResultProvenance(
            data: needsData && request.source.hasEncodedBytes ? data : nil,
            validity: validity,
            digest: claim.digest
        )
        return cache.tiers.store(
            for: CacheKey(text: request.resultDiskKey),
            expiration: expiration(policy, validity, now: cache.disk.now()),
            durability: policy.diskDurability ?? .none,
            byteCount: byteCount(of: result) + (provenance.data?.count ?? 0),
            priority: priority,
            replacing: request.replacedResults,
            digest: claim.digest,
            madeOf: cache === request.originals ? basis(of: claim, validity, for: request) : nil,
            admission: cache.admission(of: claim, request.key),
            content: { [self] in try await entry(of: result, from: provenance, for: request, priority: priority) }
        )
    }

    /// Returns the original of a result, which another process may have replaced on disk; `nil` if it is not known when that
    /// was current, or it is for some requests alone.
    private func basis(of claim: ContentClaim, _ validity: OriginalValidity?, for request: ResolvedRequest)
        -> DiskCache.Basis?
    {
        guard let digest = claim.digest, let validity, !validity.isVarying else { return nil }
        return DiskCache.Basis(
            request.key.originalDiskKey,
            hash: digest.value,
            at: validity.response.responseTime
        )
    }

    /// Returns the expiration of a result on disk: no later than the end of its original's freshness, as no server is
    /// asked about it, unless it may be used afterwards if that server fails.
    private func expiration(_ policy: CachePolicy, _ validity: OriginalValidity?, now: Date) -> Expiration? {
        guard let validity, let freshUntil = validity.statedEnd(policy.freshness), !validity.mayBeUsedStale else {
            return policy.diskExpiration
        }
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return .date(freshUntil)
        }
        return own
    }

    /// Removes a result because of an answer of its server.
    func removeResult(of request: ResolvedRequest, claim: ContentClaim) async {
        guard request.isProcessed else { return }
        let cache = request.target
        await cache.tiers.remove(.entry(CacheKey(text: request.resultDiskKey)), if: cache.removal(by: claim))
    }
}

extension ResolvedRequest {
    /// A Boolean value that indicates whether the disk may have the image as a result of processors.
    var mayBeResult: Bool { options.cache.reads.includesDisk && isStoredAsResult }

    /// A Boolean value that indicates whether the image is stored on disk as a result of processors. A serializer that
    /// stores originals alone has no influence on encoded forms.
    fileprivate var isStoredAsResult: Bool {
        isProcessed && source.keepsResultsOnDisk && options.decode.isNamed
            && (encodedImage != nil || !options.cache.keepsOriginalOnly)
    }

    /// A Boolean value that indicates whether the disk may have the image as a result of processors that may be used
    /// without asking the server.
    fileprivate var isLookedUpAsResult: Bool {
        reach == .thisCache
            ? isProcessed && options.cache.reads.includesDisk : mayBeResult && !options.cache.revalidates
    }

    /// Returns whether a stored result may be used, now or because of a failure.
    func mayUse(_ validity: OriginalValidity?, insteadOf failure: StaleUse? = nil) -> Bool {
        let policy = options.cache
        guard policy.freshness != .ignoringServer, reach != .thisCache, let validity else { return true }
        // It stays on disk for requests whose header fields it matches.
        if validity.isVarying {
            guard let transfer, validity.response.matches(transfer) else { return false }
        }
        // The entry may live longer than its original is fresh.
        guard mustAsk(about: validity) else { return true }
        return failure.map { mayUse(validity, because: $0) } ?? false
    }

    /// Returns whether a result that is no longer fresh may be used.
    private func mayUse(_ validity: OriginalValidity, because use: StaleUse) -> Bool {
        guard let transfer else { return false }
        let control = CacheControl(transfer.headers)
        let now = target.disk.now()
        switch use {
        case .offline:
            let policy = HTTPCachePolicy(lookup: .offline)
            let decision = ReuseDecision(
                of: validity.response,
                for: control,
                policy: policy,
                at: now,
                rules: cacheRules
            )
            return decision == .fresh || decision == .stale
        case .failure(let failure):
            let policy = HTTPCachePolicy(staleIfError: options.cache.staleIfError)
            return ReuseDecision.isAllowed(
                validity.response,
                insteadOf: failure,
                for: control,
                policy: policy,
                at: now,
                rules: cacheRules
            )
        }
    }
}
