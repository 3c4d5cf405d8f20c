internal import CReferences

/// The blocks that are allocated for an image that is in memory, which is to need none.
struct MemoryHitAllocationsCase: BenchmarkCase {
    private static let count = 100_000

    let way: PipelineMemoryHitCase.Way

    var name: String { "\(way.rawValue), allocations" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let hits = try await PipelineMemoryHitCase(way: way).contest().ours
        // What is made once is there afterwards.
        try await hits.run(Self.count)
        var counts: [Double] = []
        for _ in 0..<settings.samples {
            halcyon_reference_begin_counting_allocations()
            // Shows that blocks are counted.
            let block = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
            blackHole(block)
            try await hits.run(Self.count)
            let count = halcyon_reference_end_counting_allocations()
            block.deallocate()
            guard count > 0 else { throw BenchmarkError("allocations are not counted") }
            counts.append(Double(count - 1) / Double(Self.count))
        }
        return [BenchmarkResult(name, ours: Distribution(counts).median, unit: "each")]
    }
}
