internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// Prefetching 5,000 images that are there already, as a list does that is scrolled back.
struct PrefetchCase: PairedCase {
    private static let imageCount = 5_000

    let destination: ImagePrefetcher.Destination

    var name: String { "prefetch 5,000 images that are \(destination == .memory ? "in memory" : "on disk")" }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(Self.imageCount) }

    func contest() async throws -> Contest {
        let folder = try TemporaryFolder()
        let (transport, urls) = (ScriptedTransport(), try BenchmarkURLs.make(Self.imageCount))
        let pipeline = ImagePipeline(configuration: .benchmark(transport, folder: folder))
        let image = try SyntheticImage.icon()
        for url in urls { transport.setRoute(url, .init(body: image)) }
        let options: [ImageOption] = destination == .memory ? [.cacheMemoryOnly] : []
        let first = await Self.prefetcher(urls, pipeline, options, destination).run()
        guard first.failed.isEmpty else { throw BenchmarkError("\(name): an image was not loaded") }
        let destination = destination
        return Contest(
            ours: Contender("ImagePrefetcher") { _ in
                let result = await Self.prefetcher(urls, pipeline, options, destination).run()
                guard result.skipped.count == urls.count else { throw BenchmarkError("an image was loaded again") }
                withExtendedLifetime(folder) {}
            },
            references: [
                Contender("a task each that does nothing, five at a time") { count in
                    await withTaskGroup(of: Void.self) { group in
                        for number in 0..<count {
                            if number >= 5 { await group.next() }
                            group.addTask {}
                        }
                    }
                }
            ]
        )
    }

    private static func prefetcher(
        _ urls: [URL],
        _ pipeline: ImagePipeline,
        _ options: [ImageOption],
        _ destination: ImagePrefetcher.Destination
    ) -> ImagePrefetcher {
        ImagePrefetcher(urls: urls, options: options, pipeline: pipeline, destination: destination)
    }
}
