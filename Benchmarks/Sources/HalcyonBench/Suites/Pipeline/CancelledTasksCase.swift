internal import CReferences
internal import FoundationEssentials
internal import Halcyon
internal import HalcyonHTTP
internal import HalcyonTesting

/// A hundred thousand loads that are started and cancelled before their answers, as a list that is flung asks for them;
/// and the memory that is left of each.
struct CancelledTasksCase: BenchmarkCase {
    private static let count = 100_000
    private static let budgetSeconds = 1.0

    /// When a task is cancelled.
    enum Way {
        /// Right after its start.
        case oneByOne
        /// After all have been started.
        case afterAll
    }

    let way: Way

    var name: String { "100,000 tasks started, then cancelled" + (way == .oneByOne ? ", one by one" : "") }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        // The transfers that may run wait for answers that never come.
        let server = try OriginServer { _ in .silence }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let transport = CurlTransport(configuration: CurlTransport.Configuration(maximumTransfersPerHost: 6))
        defer { transport.shutdown() }
        let pipeline = ImagePipeline(configuration: .benchmark(transport, folder: folder))
        let urls = (0..<Self.count).map { server.url("/\($0)") }
        _ = try await run(urls, pipeline)
        let before = halcyon_reference_allocated_bytes()
        var seconds: [Double] = []
        for _ in 0..<min(settings.samples, 3) {
            seconds.append(try await run(urls, pipeline))
        }
        let kept = Double(halcyon_reference_allocated_bytes()) - Double(before)
        withExtendedLifetime(folder) {}
        return [
            .limit(name, Distribution(seconds), Self.budgetSeconds, unit: "s"),
            BenchmarkResult(
                "\(name), memory kept",
                ours: kept / Double(Self.count * seconds.count),
                unit: "bytes each"
            ),
        ]
    }

    /// - Returns: The seconds until the last task has ended.
    private func run(_ urls: [URL], _ pipeline: ImagePipeline) async throws -> Double {
        let start = TimeSample.now
        let tasks = urls.map { url in
            let task = pipeline.task(for: url)
            if way == .oneByOne { task.cancel() }
            return task
        }
        for task in tasks.reversed() where way == .afterAll { task.cancel() }
        for task in tasks {
            do {
                _ = try await task.response
                throw BenchmarkError("\(name): a task has a result")
            } catch is CancellationError {}
        }
        return (TimeSample.now - start).wall / 1e9
    }
}
