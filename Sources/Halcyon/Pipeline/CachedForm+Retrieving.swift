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
        guard metadata.response == nil else { return metadata.validity(isShared: request.target.isShared) }
        return request.cacheableTransfer.map { transfer in
            OriginalValidity(StoredResponse(url: transfer.url, responseTime: storedAt))
        }
    }

    /// Returns the result on disk, or in place of an original that is unavailable one that is no longer fresh.
    ///
    /// - Parameter failure: The reason why the original is unavailable, which may permit the use of an image that is no
    ///   longer fresh.
    func find(
        _ request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: StaleUse? = nil
    ) async throws -> FoundResult<Result>? {
        let start = ContinuousClock.now
        let cache = request.target
        let found = try await cache.tiers.first(
            for: CacheKey(text: request.resultDiskKey),
            extending: request.options.cache.diskExtension,
            priority: context.priority
        ) { entry, place -> (result: FoundResult<Result>, byteCount: Int, time: Duration)? in
            let time = ContinuousClock.now - start
            guard let metadata = ProcessedImageMetadata(entry.metadata) else {
                await cache.tiers.remove(place)
                return nil
            }
            guard cache.isCurrent(metadata, for: request.key) else { return nil }
            let validity = validity(of: metadata, storedAt: entry.storedAt ?? cache.disk.now(), for: request)
            guard request.mayUse(validity, insteadOf: failure) else { return nil }
            let result = try await decode(
                entry,
                at: place,
                metadata,
                validity,
                after: time,
                for: request,
                context: context
            )
            if result != nil, place.tier == 0 { cache.tiers.offerBelow(place.key) }
            return result.map { ($0, entry.body.count, time) }
        }
        let (byteCount, time) = found.map { ($0.byteCount, $0.time) } ?? (0, ContinuousClock.now - start)
        context.note(.lookedUpDisk(.result, isFound: found != nil, byteCount: byteCount, duration: time))
        return found?.result
    }

    private func decode(
        _ entry: TierEntry,
        at place: CacheTiers.Place,
        _ metadata: ProcessedImageMetadata,
        _ validity: OriginalValidity?,
        after time: Duration,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> FoundResult<Result>? {
        let tiers = request.target.tiers
        do {
            var timings = ImageTimings()
            timings.disk = time
            let result = try await self.result(
                in: StoredResult(entry: entry, metadata: metadata, timings: timings),
                for: request,
                priority: context.priority
            )
            return FoundResult(
                result: result,
                isExact: metadata.isExact ?? false,
                validity: validity,
                digest: metadata.contentDigest
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            if let error = error as? SerializationError { tiers.disk.faults.report(error) }
            // It can be made again. A failure that is no evidence of damage, such as a lack of memory, leaves it there.
            if (error as? CodecError)?.isDamage ?? (error is SerializationError) {
                await tiers.remove(place)
            }
            return nil
        }
    }
}

extension ResolvedRequest {
    /// A Boolean value that indicates whether the disk may have the image as a result of processors.
    var mayBeResult: Bool { options.cache.reads.includesDisk && isStoredAsResult }

    /// A Boolean value that indicates whether the image is stored on disk as a result of processors. A serializer that
    /// stores originals alone has no influence on encoded forms.
    var isStoredAsResult: Bool {
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

/// The reason for the use of an image that is no longer fresh.
enum StaleUse: Sendable {
    /// The request forbids the network.
    case offline
    /// Its server does not respond, or responds with a failure of its own.
    case failure(ReuseDecision.Failure)

    /// Creates the reason that an error gives; `nil` if it gives none.
    init?(_ reason: ImageError.Reason) {
        switch reason {
        case .notCached:
            self = .offline
        case .transfer(let error) where error.isDisconnection:
            self = .failure(.disconnected)
        case .failedBefore(let reason):
            self.init(reason)
        case .serverUnavailable, .meteredNetwork:
            // Nothing was sent, which counts as a lack of connection.
            self = .failure(.disconnected)
        case .status(let status) where HTTPStatus.isServerFailure(status):
            self = .failure(.serverFailure)
        default:
            return nil
        }
    }
}

extension ImageError {
    /// A Boolean value that indicates whether the server's response is about the image, and not about the client, or
    /// the time of the request.
    var isAboutResource: Bool {
        guard case .status(let status) = reason else { return false }
        return HTTPStatus.isAboutResource(status)
    }
}
