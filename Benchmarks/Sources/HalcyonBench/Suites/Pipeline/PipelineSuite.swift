/// Many requests at a time, all but one case without a network.
struct PipelineSuite: BenchmarkSuite {
    static let name = "pipeline"
    static let summary = "many requests at a time through a transport without a network, and prefetching from nginx"

    let cases: [any BenchmarkCase]
    private let origin = PrefetchOrigin()

    init(_ options: SuiteOptions) {
        cases = [
            SharedRequestsCase(),
            DistinctRequestsCase(way: .tasks),
            DistinctRequestsCase(way: .awaited),
            DiskHitRequestsCase(),
            PrefetchCase(destination: .memory),
            PrefetchCase(destination: .disk),
            PrefetchURLsCase(origin: origin, count: options.prefetchCount),
            FirstPreviewCase(),
            CancelledTasksCase(way: .afterAll),
            CancelledTasksCase(way: .oneByOne),
        ]
    }

    func stop() {
        origin.stop()
    }
}
