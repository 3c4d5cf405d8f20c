internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

extension ResultStorage {
    /// Returns the result on disk, or in place of an original that is unavailable one that is no longer fresh.
    ///
    /// - Parameter failure: The reason why the original is unavailable, which may permit the use of an image that is no
    ///   longer fresh.
    func find(
        _ request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: StaleUse? = nil
    ) async throws -> Found? {
        let start = ContinuousClock.now
        let stored = try await lookUp(request, context: context, insteadOf: failure)
        let time = ContinuousClock.now - start
        guard let stored, let found = try await decode(stored, after: time, for: request, context: context) else {
            context.note(.lookedUpDisk(.result, isFound: false, byteCount: 0, duration: time))
            return nil
        }
        let byteCount = stored.entry.body.count
        context.note(.lookedUpDisk(.result, isFound: true, byteCount: byteCount, duration: time))
        return found
    }

    /// A result that may be used, if it can be decoded.
    private struct Stored {
        let entry: DiskCache.Entry
        let metadata: ProcessedImageMetadata
        let validity: OriginalValidity?
    }

    private func lookUp(
        _ request: ResolvedRequest,
        context: WorkContext,
        insteadOf failure: StaleUse?
    ) async throws -> Stored? {
        let (cache, diskKey) = (request.target, request.resultDiskKey)
        let entry = try await cache.disk.entry(
            for: diskKey,
            extending: request.options.cache.diskExtension,
            priority: context.priority
        )
        guard let entry else { return nil }
        guard let metadata = ProcessedImageMetadata(entry.metadata) else {
            await cache.disk.remove(for: diskKey, ifStill: entry.version)
            return nil
        }
        guard cache.isCurrent(metadata, for: request.key) else { return nil }
        let validity = validity(of: metadata, storedAt: entry.storedAt, for: request)
        guard request.mayUse(validity, insteadOf: failure) else { return nil }
        return Stored(entry: entry, metadata: metadata, validity: validity)
    }

    private func decode(
        _ stored: Stored,
        after time: Duration,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> Found? {
        let (entry, metadata, disk) = (stored.entry, stored.metadata, request.target.disk)
        do {
            var timings = ImageTimings()
            timings.disk = time
            let result = try await form.result(
                in: StoredResult(entry: entry, metadata: metadata, timings: timings),
                for: request,
                priority: context.priority
            )
            return Found(
                result: result,
                isExact: metadata.isExact ?? false,
                validity: stored.validity,
                digest: metadata.contentDigest
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            if let error = error as? SerializationError { disk.faults.report(error) }
            // It can be made again. A failure that is no evidence of damage, such as a lack of memory, leaves it on
            // disk.
            if (error as? CodecError)?.isDamage ?? (error is SerializationError) {
                await disk.remove(for: request.resultDiskKey, ifStill: entry.version)
            }
            return nil
        }
    }
}
