extension ImagePipeline {
    /// The numbers of what the pipeline has done so far. Reading them takes a moment in which no load can count, so this
    /// is for a panel or a log, and not for each load.
    public var statistics: PipelineStatistics {
        var statistics = stages.activities.statistics
        // Read before the present number, which only grows: a reset at this moment makes it greater.
        let before = memoryHitsAtReset.withLock { $0 }
        // The shards of the caches move their counts now and then, and are not stopped for a look at them.
        statistics.memoryHits = max(0, configuration.memoryHits - before)
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
