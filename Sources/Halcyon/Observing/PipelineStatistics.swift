/// The numbers of what a pipeline has done since it was made, or since ``ImagePipeline/resetStatistics()``.
///
/// Work that is shared counts once, whoever waits for it. A load of previews counts as a load of its own; background
/// revalidations count as transfers, and not as loads.
public struct PipelineStatistics: Sendable, Hashable {
    /// The number of look-ups in the memory caches of the pipeline that found an image. Pipelines that share a cache
    /// share this number.
    public internal(set) var memoryHits = 0
    /// The number of loads of images that memory did not have.
    public internal(set) var loads = 0
    /// The number of ``loads`` that have failed.
    public internal(set) var failures = 0
    /// The number of ``loads`` that were cancelled.
    public internal(set) var cancellations = 0
    /// The number of look-ups on disk that found the result of processors, or an encoded image. A look into several
    /// caches of a group counts once.
    public internal(set) var resultHits = 0
    /// The number of look-ups on disk for results that found none.
    public internal(set) var resultMisses = 0
    /// The number of originals that were found on disk, those included that their server confirmed.
    public internal(set) var originalHits = 0
    /// The number of look-ups on disk for originals that found none.
    public internal(set) var originalMisses = 0
    /// The number of bytes of the originals that were found on disk, and so were not received.
    public internal(set) var savedBytes = 0
    /// The number of transfers that have ended, failed ones included.
    public internal(set) var transfers = 0
    /// The number of ``transfers`` that have failed or were cancelled.
    public internal(set) var failedTransfers = 0
    /// The number of ``transfers`` by which a server confirmed a stored original (status 304).
    public internal(set) var revalidations = 0
    /// The number of bytes received, with headers, as on the wire. A failed transfer counts none.
    public internal(set) var receivedBytes = 0
    /// The number of bytes read from files and providers.
    public internal(set) var readBytes = 0
    /// The number of attempts after a failed one.
    public internal(set) var retries = 0
    /// The number of sources that were tried in place of one that had failed.
    public internal(set) var alternatives = 0
    /// The number of decodings.
    public internal(set) var decodings = 0
    /// The number of runs of processors.
    public internal(set) var processings = 0
    /// The number of encodings for callers.
    public internal(set) var encodings = 0
    /// The number of times that work under way was shared instead of begun, by its kind.
    public internal(set) var shared: [LoadActivity.SharedWork: Int] = [:]

    /// Statistics of nothing.
    public init() {}

    /// Returns whether an event changes any of the numbers.
    static func counts(_ activity: LoadActivity) -> Bool {
        switch activity {
        case .lookedUpMemory, .hooksWithoutIdentity, .unregisteredFormat, .decodedInProgram, .transferBegan,
            .storedInMemory,
            .storedOnDisk,
            .ended(.succeeded, _):
            false
        default: true
        }
    }

    /// Counts an event.
    mutating func count(_ activity: LoadActivity) {
        switch activity {
        case .began: loads += 1
        case .lookedUpMemory, .hooksWithoutIdentity, .unregisteredFormat, .decodedInProgram, .transferBegan,
            .storedInMemory,
            .storedOnDisk:
            break
        case .lookedUpDisk(.result, let isFound, _, _):
            if isFound { resultHits += 1 } else { resultMisses += 1 }
        case .lookedUpDisk(.original, let isFound, let byteCount, _):
            if isFound { originalHits += 1 } else { originalMisses += 1 }
            savedBytes += byteCount
        case .joined(let work): shared[work, default: 0] += 1
        case .transferred(let report): count(report)
        case .read(let byteCount, _): readBytes += byteCount
        case .retrying: retries += 1
        case .tryingAlternative: alternatives += 1
        case .decoded: decodings += 1
        case .processed: processings += 1
        case .encoded: encodings += 1
        case .ended(.succeeded, _): break
        case .ended(.failed, _): failures += 1
        case .ended(.cancelled, _): cancellations += 1
        }
    }

    private mutating func count(_ report: TransferReport) {
        transfers += 1
        if report.error != nil || report.isCancelled { failedTransfers += 1 }
        if report.isRevalidation { revalidations += 1 }
        receivedBytes += report.metrics?.bytesReceived ?? 0
    }
}

extension ImagePipeline {
    /// The numbers of what the pipeline has done so far. Reading them takes a moment in which no load can count, so this
    /// is for a panel or a log, and not for each load.
    public var statistics: PipelineStatistics {
        var statistics = stages.activities.statistics
        // Read before the present number, which only grows: a reset at this moment makes it greater.
        let before = memoryHitsAtReset.withLock { $0 }
        // The shards of the cache move their counts now and then, and are not stopped for a look at them.
        statistics.memoryHits = max(0, cache.memoryStatistics.hits - before)
        return statistics
    }

    /// Begins to count from zero.
    public func resetStatistics() {
        let hits = cache.memoryStatistics.hits
        memoryHitsAtReset.withLock { $0 = hits }
        stages.activities.reset()
    }
}
