internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonStore
internal import HalcyonSystem

extension CachedForm {
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
