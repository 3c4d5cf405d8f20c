internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// 1,000 requests at a time for as many images that are on disk and not in memory: reading, decoding, and what the
/// stages cost beside them.
struct DiskHitRequestsCase: PairedCase {
    private static let requestCount = 1_000

    var name: String { "1,000 requests for images on disk" }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(Self.requestCount) }
    var measures: [Measure] { [Measure(clock: .wall), Measure(clock: .processor)] }

    func contest() async throws -> Contest {
        let folder = try TemporaryFolder()
        let urls = try BenchmarkURLs.make(Self.requestCount)
        let image = try SyntheticImage.icon()
        let transport = ScriptedTransport()
        for url in urls { transport.setRoute(url, .init(body: image)) }
        let configuration = ImagePipeline.Configuration.benchmark(transport, folder: folder)
        let stored = await ImagePrefetcher(
            urls: urls,
            pipeline: ImagePipeline(configuration: configuration),
            destination: .disk
        ).run()
        guard stored.failed.isEmpty else { throw BenchmarkError("\(name): an image was not stored") }
        let plain = DiskCache(.init(folder: folder.file("plain")))
        for url in urls { try plain.store(image, for: url.absoluteString) }
        return Contest(
            ours: Contender("ImagePipeline") { count in
                // A pipeline of its own: the one before has the images in memory.
                let pipeline = ImagePipeline(configuration: .benchmark(ScriptedTransport(), folder: folder))
                let tasks = urls.prefix(count).map { pipeline.task(for: $0) }
                for task in tasks {
                    guard try await task.response.source == .disk else {
                        throw BenchmarkError("an image came from elsewhere")
                    }
                }
            },
            references: [
                Contender("a task each: DiskCache get, decode") { count in
                    let tasks = urls.prefix(count).map { url in
                        Task {
                            guard let entry = plain.entry(for: url.absoluteString) else {
                                throw BenchmarkError("no entry")
                            }
                            return try ImageCodecs.standard.decode(entry.body)
                        }
                    }
                    for task in tasks { blackHole(try await task.value) }
                }
            ]
        )
    }
}
