internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// An image that is in memory, from its URL.
struct PipelineMemoryHitCase: PairedCase {
    /// How the image is asked for.
    enum Way: String {
        case synchronous = "URL to image, responseFromMemory"
        case awaited = "URL to image, await response"
        case synchronousRequest = "ImageRequest to image, responseFromMemory"
        case synchronousProcessed = "URL to processed image, responseFromMemory"
    }

    let way: Way

    var name: String { way.rawValue }
    var unit: TimeUnit { .nanoseconds }
    var measures: [Measure] { [Measure(clock: .wall, budget: way == .synchronousRequest ? nil : 3)] }

    func contest() async throws -> Contest {
        let folder = try TemporaryFolder()
        let transport = ScriptedTransport()
        let pipeline = ImagePipeline(configuration: .benchmark(transport, folder: folder))
        let processing: [ImageOption] =
            way == .synchronousProcessed ? [.processor(.downsample(to: .pixels(8, 8)))] : []
        let options = pipeline.options(processing + [.cacheMemoryOnly])
        let urls = try BenchmarkURLs.make(MemorySuite.entryCount)
        let image = try SyntheticImage.icon()
        for url in urls {
            transport.setRoute(url, .init(body: image))
            _ = try await pipeline.response(for: ImageRequest(url, exactly: options))
        }
        var random = SeededRandom(seed: 4)
        let order = urls.shuffled(using: &random)
        return Contest(ours: ours(pipeline, order, options, folder), references: [Self.reference()])
    }

    private func ours(
        _ pipeline: ImagePipeline,
        _ urls: [URL],
        _ options: ImageOptions,
        _ folder: TemporaryFolder
    ) -> Contender {
        let requests = urls.map { ImageRequest($0, exactly: options) }
        let way = way
        return Contender("ImagePipeline") { count in
            var pixels = 0
            for index in 0..<count {
                let place = index % urls.count
                switch way {
                case .synchronous:
                    let response = pipeline.responseFromMemory(for: urls[place])
                    pixels &+= response?.image.size.width ?? 0
                case .synchronousProcessed:
                    let response = pipeline.responseFromMemory(for: urls[place], exactly: options)
                    pixels &+= response?.image.size.width ?? 0
                case .awaited:
                    let response = try await pipeline.response(for: urls[place])
                    pixels &+= response.image.size.width
                case .synchronousRequest:
                    let response = pipeline.responseFromMemory(for: requests[place])
                    pixels &+= response?.image.size.width ?? 0
                }
            }
            // Every look-up must have been a hit: the images are 16 pixels wide, processed 8.
            guard pixels == count * (way == .synchronousProcessed ? 8 : 16) else {
                throw BenchmarkError("not every look-up was a hit")
            }
            withExtendedLifetime(folder) {}
        }
    }

    private static func reference() -> Contender {
        let keys = DigestKey.keys(MemorySuite.entryCount)
        let cache = MemoryCache<DigestKey, CachedObject>()
        for (number, key) in keys.enumerated() {
            cache.store(CachedObject(number), for: key, cost: 1)
        }
        return Contender("MemoryCache hit, key ready") { count in
            var sum = 0
            for index in 0..<count {
                sum &+= cache.entry(for: keys[index % keys.count])?.number ?? 0
            }
            blackHole(sum)
        }
    }
}
