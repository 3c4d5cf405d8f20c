/// Many requests at a time, without a network.
struct PipelineSuite: BenchmarkSuite {
    static let name = "pipeline"
    static let summary = "many requests at a time through a transport without a network"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases = [
            SharedRequestsCase(),
            DistinctRequestsCase(way: .tasks),
            DistinctRequestsCase(way: .awaited),
            DiskHitRequestsCase(),
            PrefetchCase(destination: .memory),
            PrefetchCase(destination: .disk),
        ]
    }
}
