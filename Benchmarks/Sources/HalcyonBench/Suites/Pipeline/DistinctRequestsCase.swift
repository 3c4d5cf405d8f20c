internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// 5,000 requests for as many images, none of them in a cache: what the stages cost beside transfer and decoding.
struct DistinctRequestsCase: PairedCase {
    private static let requestCount = 5_000

    /// How the images are asked for, as in Nuke's performance tests.
    enum Way {
        case tasks
        case awaited
    }

    let way: Way

    var name: String { "5,000 requests for 5,000 images" + (way == .awaited ? ", await image(from:)" : "") }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(Self.requestCount) }
    var measures: [Measure] { [Measure(clock: .wall), Measure(clock: .processor)] }

    func contest() async throws -> Contest {
        let folder = try TemporaryFolder()
        let urls = try BenchmarkURLs.make(Self.requestCount)
        let image = try SyntheticImage.icon()
        return Contest(
            ours: Contender("ImagePipeline") { count in
                let transport = Self.transport(urls, image)
                let pipeline = ImagePipeline(configuration: .benchmark(transport, folder: folder))
                let results =
                    switch way {
                    case .tasks: try await Self.resultsOfTasks(urls.prefix(count), pipeline)
                    case .awaited: try await Self.resultsOfAwaiting(urls.prefix(count), pipeline)
                    }
                guard results == count else { throw BenchmarkError("\(count) requests had \(results) results") }
            },
            references: [
                Contender("a task each: data(for:), decode") { count in
                    let transport = Self.transport(urls, image)
                    let tasks = urls.prefix(count).map { url in
                        Task {
                            let data = try await transport.data(for: TransferRequest(url: url)).data
                            return try ImageCodecs.standard.decode(data)
                        }
                    }
                    for task in tasks { blackHole(try await task.value) }
                }
            ]
        )
    }

    private static func resultsOfTasks(_ urls: ArraySlice<URL>, _ pipeline: ImagePipeline) async throws -> Int {
        let tasks = urls.map { pipeline.task(for: $0, options: [.noCache]) }
        var results = 0
        for task in tasks where try await task.response.image.size.width == 16 {
            results += 1
        }
        return results
    }

    private static func resultsOfAwaiting(_ urls: ArraySlice<URL>, _ pipeline: ImagePipeline) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls {
                group.addTask { try await pipeline.image(from: url, options: [.noCache]).size.width == 16 ? 1 : 0 }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func transport(_ urls: [URL], _ image: Data) -> ScriptedTransport {
        let transport = ScriptedTransport()
        for url in urls {
            transport.setRoute(url, .init(body: image))
        }
        return transport
    }
}
