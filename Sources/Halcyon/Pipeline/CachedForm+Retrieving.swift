internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

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
    func foundResult(for request: ResolvedRequest, context: WorkContext) async throws -> FoundResult<Result>? {
        guard request.isLookedUpAsResult else { return nil }
        return try await find(request, context: context)
    }

    /// Returns a result that is no longer fresh, where the original that it could be made of again is unavailable.
    ///
    /// An original on disk that may be used has been used already. Most results have none there, and are then all that
    /// can be shown without their server.
    func staleResult(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> FoundResult<Result>? {
        guard request.mayBeResult, request.followsServer, error.reason == .notCached || error.reason.noAnswer != nil,
            // An image about which the server would be asked is not used where it must not be.
            request.reach == .anywhere || request.reach == .thisMachine && !request.options.allowsNetwork
        else { return nil }
        return try await find(request, context: context, insteadOf: error.reason)
    }

    /// Returns whether there is a result that may be used now. It is not decoded.
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
        return request.transfer?.headWithoutStatements(receivedAt: storedAt).map(OriginalValidity.init)
    }

    /// Returns the result on disk, or in place of an original that is unavailable one that is no longer fresh.
    ///
    /// - Parameter failure: The reason why the original is unavailable, which may permit the use of an image that is no
    ///   longer fresh.
    func find(
        _ request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: ImageError.Reason? = nil
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
            guard let result = try await decode(entry, metadata, at: place, for: request, context: context, after: time)
            else { return nil }
            let found = FoundResult(
                result: result,
                isExact: metadata.isExact ?? false,
                validity: validity,
                digest: metadata.contentDigest
            )
            return (found, entry.body.count, time)
        }
        let (byteCount, time) = found.map { ($0.byteCount, $0.time) } ?? (0, ContinuousClock.now - start)
        context.note(.lookedUpDisk(.result, isFound: found != nil, byteCount: byteCount, duration: time))
        return found?.result
    }

    /// Returns the result in an entry; `nil` if it cannot be decoded.
    private func decode(
        _ entry: TierEntry,
        _ metadata: ProcessedImageMetadata,
        at place: CacheTiers.Location,
        for request: ResolvedRequest,
        context: WorkContext,
        after time: Duration
    ) async throws -> Result? {
        let tiers = request.target.tiers
        do {
            var result = try await result(in: entry.body, metadata, for: request, priority: context.priority)
            result.timings.disk = time
            return result
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
    func mayUse(_ validity: OriginalValidity?, insteadOf failure: ImageError.Reason? = nil) -> Bool {
        let policy = options.cache
        guard policy.freshness != .ignoringServer, reach != .thisCache, let validity else { return true }
        // It stays on disk for requests whose header fields it matches.
        if validity.isVarying {
            guard let transfer, validity.response.matches(transfer) else { return false }
        }
        // The entry may live longer than its original is fresh.
        guard mustAsk(about: validity) else { return true }
        return failure.map { mayUseStale(validity, insteadOf: $0) } ?? false
    }

    /// Returns whether a result that is no longer fresh may be used.
    private func mayUseStale(_ validity: OriginalValidity, insteadOf reason: ImageError.Reason) -> Bool {
        guard let transfer else { return false }
        let (control, response, now) = (CacheControl(transfer.headers), validity.response, target.disk.now())
        guard reason != .notCached else {
            let policy = HTTPCachePolicy(lookup: .offline)
            let decision = ReuseDecision(of: response, for: control, policy: policy, at: now, rules: cacheRules)
            return decision == .fresh || decision == .stale
        }
        guard let failure = reason.noAnswer else { return false }
        return ReuseDecision.isAllowed(
            response,
            insteadOf: failure,
            for: control,
            policy: HTTPCachePolicy(staleIfError: options.cache.staleIfError),
            at: now,
            rules: cacheRules
        )
    }
}

extension ImageError.Reason {
    /// The reason for which a server gave no useful answer; `nil` for another failure.
    var noAnswer: ReuseDecision.Failure? {
        switch self {
        // What the server refused a short while ago is refused still.
        case .failedBefore(let reason): reason.noAnswer
        // Nothing was sent, which counts as a lack of connection.
        case .serverUnavailable, .meteredNetwork: .disconnected
        case .transfer(let error) where error.isDisconnection: .disconnected
        case .status(let status) where HTTPStatus.isServerFailure(status): .serverFailure
        default: nil
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
