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
