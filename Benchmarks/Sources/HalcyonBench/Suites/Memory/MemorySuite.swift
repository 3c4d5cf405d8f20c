/// Hits of the cache in memory, bare and through the pipeline.
struct MemorySuite: BenchmarkSuite {
    static let name = "memory"
    static let summary = "hits among 1,000 entries in memory, bare and through the pipeline"

    /// As in the design's budget.
    static let entryCount = 1_000

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases = [
            MemoryHitCase(threadCount: 1),
            MemoryHitCase(threadCount: 2),
            MemoryMissCase(),
            PipelineMemoryHitCase(way: .synchronous),
            PipelineMemoryHitCase(way: .awaited),
            PipelineMemoryHitCase(way: .synchronousSource),
            PipelineMemoryHitCase(way: .synchronousProcessed),
        ]
    }
}
