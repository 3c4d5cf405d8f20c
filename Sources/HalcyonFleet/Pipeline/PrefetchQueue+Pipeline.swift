public import FoundationEssentials
public import Halcyon
internal import HalcyonStore

extension PrefetchQueue {
    /// Loads the images of jobs into the caches of a pipeline until there are none left on any machine: onto the disk, and
    /// into the ``SharedTier`` of its cache.
    ///
    /// - Parameters:
    ///   - pipeline: Loads the images.
    ///   - concurrency: The images at the same time; at least 1. Default: 8.
    ///   - staysWhenEmpty: `true` to wait for more jobs until the task is cancelled. Default: `false`.
    ///   - sharedByteLimit: The most bytes of an image that other machines find, which is that of their shared tier
    ///     (``SharedTier/Configuration/entryByteLimit``); 0 without one. Larger ones stay on this machine's disk, and count as
    ///     ``PrefetchQueueProgress/localCount``. Default: 1 MiB.
    ///   - request: Returns the request of a job; `nil` for one that this machine does not know. Default: that of its source.
    /// - Returns: What this worker has done.
    /// - Throws: As ``work(concurrency:staysWhenEmpty:clock:_:)``.
    public func work(
        on pipeline: ImagePipeline,
        concurrency: Int = 8,
        staysWhenEmpty: Bool = false,
        sharedByteLimit: Int = 1 << 20,
        request: @escaping @Sendable (PrefetchJob) -> ImageRequest? = { job in
            URL(string: job.source).map { ImageRequest($0) }
        }
    ) async throws -> Summary {
        try await work(concurrency: concurrency, staysWhenEmpty: staysWhenEmpty) { job in
            guard let request = request(job) else { return .failed("no address of an image", isFinal: true) }
            let prefetcher = ImagePrefetcher(requests: [request], pipeline: pipeline, destination: .disk)
            let result = await prefetcher.run()
            if let failure = result.failed.first {
                guard let error = failure.error else { return .failed("stopped", isFinal: false) }
                return .failed("\(error.stage): \(error.reason)", isFinal: error.isFinal)
            }
            // In the tiers before the job is noted as done.
            let byteCount = await pipeline.storedByteCount(of: request) ?? 0
            return byteCount <= sharedByteLimit ? .shared : .local
        }
    }
}

extension ImageError {
    /// `true` if another attempt is of no use.
    fileprivate var isFinal: Bool {
        switch reason {
        case .status(let status): (400..<500).contains(status) && status != 408 && status != 425 && status != 429
        case .codec, .contentType, .sourceNotAllowed: true
        default: false
        }
    }
}
