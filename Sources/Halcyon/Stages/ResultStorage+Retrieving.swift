internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

extension ResultStorage {
    /// Returns a result in the caches of the image: the first one, or in place of an original that is unavailable, where
    /// none is fresh, the most recent. It is copied to the caches searched before, as their group says.
    ///
    /// - Parameter failure: The reason why the original is unavailable, which may permit the use of an image that is no
    ///   longer fresh.
    func find(
        _ request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: StaleUse? = nil
    ) async throws -> Found? {
        var time = Duration.zero
        let answer = try await answer(to: request, context: context, insteadOf: failure, time: &time)
        // One look of one load, however many caches its group has.
        let byteCount = answer?.candidate.entry.body.count ?? 0
        context.note(.lookedUpDisk(.result, isFound: answer != nil, byteCount: byteCount, duration: time))
        return answer?.found
    }

    /// Returns the result that answers, and what it was decoded of.
    ///
    /// - Parameter time: The duration of the look-ups so far.
    private func answer(
        to request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: StaleUse?,
        time: inout Duration
    ) async throws -> (found: Found, candidate: Candidate)? {
        var candidates: [Candidate] = []
        for cache in request.caches.targets.searched {
            let candidate = try await lookUp(request, in: cache, context: context, insteadOf: failure, time: &time)
            guard let candidate else { continue }
            if failure == nil {
                if let found = try await decode(candidate, for: request, context: context) {
                    return (found, candidate)
                }
            } else {
                candidates.append(candidate)
            }
        }
        while let next = candidates.indices.max(by: { candidates[$0].receivedAt < candidates[$1].receivedAt }) {
            let candidate = candidates.remove(at: next)
            if let found = try await decode(candidate, for: request, context: context) { return (found, candidate) }
        }
        return nil
    }

    /// A result that may be used, if it can be decoded.
    private struct Candidate {
        let cache: ImageCache
        let entry: DiskCache.Entry
        let metadata: ProcessedImageMetadata
        let validity: OriginalValidity?
        /// The duration of the look-up.
        let time: Duration

        /// The time at which its original was received.
        var receivedAt: Date { validity?.response.responseTime ?? entry.storedAt }
    }

    private func lookUp(
        _ request: ResolvedRequest,
        in cache: ImageCache,
        context: WorkContext,
        insteadOf failure: StaleUse?,
        time total: inout Duration
    ) async throws -> Candidate? {
        let start = ContinuousClock.now
        let diskKey = request.resultDiskKey
        try await cache.disk.settle(diskKey, priority: context.priority)
        let entry = try await cache.disk.entry(
            for: diskKey,
            extending: request.options.cache.diskExtension,
            priority: context.priority
        )
        let time = ContinuousClock.now - start
        total += time
        guard let entry else { return nil }
        guard let metadata = ProcessedImageMetadata(entry.metadata) else {
            await cache.disk.remove(for: diskKey, ifStill: entry.version)
            return nil
        }
        guard cache.isCurrent(metadata, for: request.key) else { return nil }
        let validity = validity(of: metadata, storedAt: entry.storedAt, for: request)
        guard request.mayUse(validity, insteadOf: failure) else { return nil }
        return Candidate(
            cache: cache,
            entry: entry,
            metadata: metadata,
            validity: validity,
            time: time
        )
    }

    private func decode(
        _ candidate: Candidate,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> Found? {
        let (entry, cache) = (candidate.entry, candidate.cache)
        do {
            var timings = ImageTimings()
            timings.disk = candidate.time
            let stored = StoredResult(entry: entry, metadata: candidate.metadata, timings: timings)
            let result = try await form.result(in: stored, for: request, priority: context.priority)
            let isExact = candidate.metadata.isExact ?? false
            let found = Found(
                result: result,
                isExact: isExact,
                validity: candidate.validity,
                cache: cache,
                digest: candidate.metadata.contentDigest
            )
            promote(entry, found, for: request)
            return found
        } catch let error as CancellationError {
            throw error
        } catch {
            if let error = error as? SerializationError { cache.disk.faults.report(error) }
            // It can be made again. A failure that is no evidence of damage, such as a lack of memory, leaves it on
            // disk.
            if (error as? CodecError)?.isDamage ?? (error is SerializationError) {
                await cache.disk.remove(for: request.resultDiskKey, ifStill: entry.version)
            }
            return nil
        }
    }

    /// Starts to copy an entry to the disks of the caches above the one that it was found in, as the group says.
    private func promote(_ entry: DiskCache.Entry, _ found: Found, for request: ResolvedRequest) {
        let policy = request.options.cache
        let caches = request.caches.targets.promotionTargets(from: found.cache)
        guard policy.storesOnDisk, !caches.isEmpty else { return }
        let copy = DiskCopy(
            entry,
            metadata: entry.metadata(stating: found.validity, isOriginal: false),
            name: request.resultDiskKey,
            key: request.key,
            limit: expiration(policy, found.validity, now: found.cache.disk.now()),
            durability: policy.diskDurability ?? .none,
            claim: found.claim(of: request)
        )
        for cache in caches { _ = copy.store(in: cache, priority: PriorityBox(.low)) }
    }
}
