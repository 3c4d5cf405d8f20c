public import FoundationEssentials
public import Halcyon
internal import HalcyonStore

extension PrefetchQueue {
    /// Loads the images of jobs into the caches of a pipeline until there are none left on any machine: onto the disk, and
    /// into the ``SharedTier`` of its cache. A job whose image no cache has in the end is tried again, as it may have been removed
    /// meanwhile; one of a server that forbids caches to keep it (`no-store`) is given up after its last attempt.
    ///
    /// - Parameters:
    ///   - pipeline: Loads the images.
    ///   - concurrency: The images at the same time; at least 1. Default: 8.
    ///   - staysWhenEmpty: `true` to wait for more jobs until the task is cancelled. Default: `false`.
    ///   - shared: The tier of the pipeline's cache in which other machines find images; `nil` without one. What it does not have
    ///     in the end, as it is too large or the engine was not there, is on this machine's disk alone, and counts as
    ///     ``PrefetchQueueProgress/localCount``. Default: `nil`.
    ///   - request: Returns the request of a job; `nil` for one that this machine does not know. Default: that of its source.
    /// - Returns: What this worker has done.
    /// - Throws: As ``work(concurrency:staysWhenEmpty:clock:_:)``.
    public func work(
        on pipeline: ImagePipeline,
        concurrency: Int = 8,
        staysWhenEmpty: Bool = false,
        shared: SharedTier? = nil,
        request: @escaping @Sendable (PrefetchJob) -> ImageRequest? = { job in
            URL(string: job.source).map { ImageRequest($0) }
        }
    ) async throws -> Summary {
        try await work(concurrency: concurrency, staysWhenEmpty: staysWhenEmpty) { job in
            guard var request = request(job) else { return .failed("no address of an image", isFinal: true) }
            // A job that is done stays done: its image must outlive this process.
            let durability = request.options.cache.diskDurability ?? DiskCache.Durability.none
            if durability == DiskCache.Durability.none { request.options.cache.diskDurability = .normal }
            let prefetcher = ImagePrefetcher(requests: [request], pipeline: pipeline, destination: .disk)
            let result = await prefetcher.run()
            if let failure = result.failed.first {
                guard let error = failure.error else { return .failed("stopped", isFinal: false) }
                return .failed("\(error.stage): \(error.reason)", isFinal: error.isFinal)
            }
            // In the tiers before the job is noted as done.
            if let shared, await pipeline.isStored(request, in: shared) { return .shared }
            return await pipeline.isStored(request) ? .local : .failed("no cache keeps the image", isFinal: false)
        }
    }
}

extension ImageError {
    /// `true` if another attempt is of no use.
    fileprivate var isFinal: Bool { Self.isFinal(reason) }

    private static func isFinal(_ reason: Reason) -> Bool {
        switch reason {
        case .failedBefore(let reason): isFinal(reason)
        case .alternativesExhausted(let failures): failures.allSatisfy { isFinal($0.error.reason) }
        case .status(let status): (400..<500).contains(status) && status != 408 && status != 425 && status != 429
        // A machine without confined processes, without time, or without a library, is no fault of the image.
        case .codec(.isolation(let error)): error.isOfImage
        case .codec(.unsupported(let format, _)): ImageCodecs.standard.missingLibrary(of: format) == nil
        case .codec, .contentType, .sourceNotAllowed: true
        default: false
        }
    }
}
