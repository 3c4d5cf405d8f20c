extension ImagePipeline {
    /// The numbers of what the pipeline has done so far. Reading them takes a moment in which no load can count, so this
    /// is for a panel or a log, and not for each load.
    public var statistics: PipelineStatistics {
        var statistics = stages.activities.statistics
        statistics.memoryHits = configuration.memoryHits - memoryHitsAtReset.withLock { $0 }
        return statistics
    }

    /// Begins to count from zero.
    public func resetStatistics() {
        let hits = configuration.memoryHits
        memoryHitsAtReset.withLock { $0 = hits }
        stages.activities.reset()
    }
}

extension ImagePipeline.Configuration {
    /// The number of hits that the memory caches have counted.
    var memoryHits: Int { caches.caches.reduce(0) { $0 + $1.memoryStatistics.hits } }
}
