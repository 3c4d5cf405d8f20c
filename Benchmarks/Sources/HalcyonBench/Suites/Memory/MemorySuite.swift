internal import HalcyonStore

/// The cache in memory, bare and through the pipeline.
struct MemorySuite: BenchmarkSuite {
    static let name = "memory"
    static let summary = "1,000 entries in memory, bare and through the pipeline, and Nuke's workloads"

    /// As in the design's budget.
    static let entryCount = 1_000

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases =
            MemoryWork.all.map { MemoryHitCase(work: $0) }
            + MemoryWork.all.map { MemoryMissCase(work: $0) }
            + MemoryWork.all.map { MemoryReplaceCase(work: $0) }
            + MemoryWork.all.map { MemoryEvictCase(work: $0) }
            + [
                PipelineMemoryHitCase(way: .synchronous),
                PipelineMemoryHitCase(way: .awaited),
                PipelineMemoryHitCase(way: .synchronousRequest),
                PipelineMemoryHitCase(way: .synchronousProcessed),
                MemoryHitAllocationsCase(way: .synchronous),
                MemoryHitAllocationsCase(way: .awaited),
                MemoryHitAllocationsCase(way: .synchronousProcessed),
            ]
            + NukeMemoryCase.Workload.allCases.map { NukeMemoryCase(workload: $0) }
    }

    /// A cache and a dictionary that hold an object for each key.
    @inline(__always)
    static func filled<Keys: MemoryKeys>(
        _ keys: Keys
    ) -> (MemoryCache<Keys.Key, CachedObject>, LockedDictionary<Keys.Key, CachedObject>) {
        let cache = MemoryCache<Keys.Key, CachedObject>()
        var values: [Keys.Key: CachedObject] = [:]
        // Another order than that of the look-ups.
        var random = SeededRandom(seed: 2)
        for number in (0..<keys.count).shuffled(using: &random) {
            let object = CachedObject(number)
            cache.store(object, for: keys.key(number), cost: 1)
            values[keys.key(number)] = object
        }
        return (cache, LockedDictionary(values))
    }
}
