internal import FoundationEssentials
@_spi(Views) internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonTesting

/// A grid of photographs of 12 MP that a program opens the second time, each at 200 × 200 pixels: with the options of
/// views, which keep the originals and those results that took long to make, beside options that keep results alone.
///
/// At another size the images are made of the originals: a row for information. Nothing is transferred in either.
struct GridOpeningCase: BenchmarkCase {
    private static let imageCount = 60
    private static let imageSize = PixelSize(4_000, 3_000)
    private static let side = 200
    private static let otherSide = 240
    /// An opening from the originals takes seconds.
    private static let mostSamples = 7
    /// No slower, but for what two runs of the same differ by.
    private static let budget = 1.05

    var name: String { "60 photographs of 12 MP from disk" }

    /// The images in a cache folder.
    private struct Grid {
        let folder: TemporaryFolder
        let urls: [URL]
        /// Returns the options for images in places of a size.
        let options: (_ side: Int) -> [ImageOption]

        /// A pipeline of its own, with nothing in memory.
        func pipeline(_ transport: ScriptedTransport) -> ImagePipeline {
            var disk = DiskCache.Configuration(folder: folder.file("cache"))
            // On a small disk the default would not hold the originals.
            disk.sizeLimit = 1 << 30
            return ImagePipeline(
                configuration: .init(
                    downloader: ImageDownloader(transport: transport),
                    cache: ImageCache(disk: disk)
                )
            )
        }
    }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let image = try SyntheticImage.photograph(Self.imageSize)
        let file = [UInt8](try ImageCodecs.standard.encode(image, as: .jpeg, options: EncodeOptions(quality: 85)))
        let urls = try BenchmarkURLs.make(Self.imageCount)
        let results = Grid(folder: try TemporaryFolder(), urls: urls) { side in
            [.targetSize(.pixels(width: side, height: side)), .processAllFrames]
        }
        // Those of `ImagePipeline.viewOptions` and `DisplayTask.request(for:)` in HalcyonGTK.
        let views = Grid(folder: try TemporaryFolder(), urls: urls) { side in
            [
                .cacheOriginalImage, .precision(.inexact), .targetSize(.pixels(width: side, height: side)),
                .storedResults(.costly), .processAllFrames,
            ]
        }
        for grid in [results, views] {
            try await fill(grid, with: file)
            _ = try await open(grid, Self.side, storesResults: true)
        }
        var (reference, ours, another) = ([TimeSample](), [TimeSample](), [TimeSample]())
        for _ in 0..<min(settings.samples, Self.mostSamples) {
            reference.append(try await open(results, Self.side, storesResults: true))
            ours.append(try await open(views, Self.side, storesResults: true))
            another.append(try await open(views, Self.otherSide, storesResults: false))
            // The results of that size have taken the places of the others.
            _ = try await open(views, Self.side, storesResults: false)
        }
        return rows(name, ours, reference, budget: Self.budget)
            + rows("\(name), at another size", another, reference, budget: nil)
    }

    /// Loads the images as a program does that shows them the first time.
    private func fill(_ grid: Grid, with file: [UInt8]) async throws {
        let transport = ScriptedTransport()
        let pipeline = grid.pipeline(transport)
        // One by one: the bodies of all at a time take hundreds of megabytes.
        for (number, url) in grid.urls.enumerated() {
            transport.setRoute(url, .init(body: Data(file.withJPEGComment("\(number)"))))
            let response = try await pipeline.response(for: url, options: grid.options(Self.side))
            guard response.source == .network else { throw BenchmarkError("\(name): an image was there already") }
            transport.setRoute(url, nil)
        }
        await pipeline.cache.flush()
    }

    /// Opens the grid as a program does that has just been started.
    ///
    /// - Parameter storesResults: Whether the images of this size are on disk; if not, only their originals are.
    /// - Returns: The time until the last image is there.
    private func open(_ grid: Grid, _ side: Int, storesResults: Bool) async throws -> TimeSample {
        let transport = ScriptedTransport()
        transport.setAnswer { _ in ScriptedTransport.Route(status: 503) }
        let pipeline = grid.pipeline(transport)
        let options = grid.options(side)
        let start = TimeSample.now
        let tasks = grid.urls.map { pipeline.task(for: $0, options: options) }
        for task in tasks {
            let response = try await task.response
            guard response.source == .disk, response.image.size == PixelSize(side, side * 3 / 4) else {
                throw BenchmarkError("\(name): \(response.image.size) from \(response.source)")
            }
            // A result that is read is not processed again.
            guard (response.timings.process == nil) == storesResults else {
                throw BenchmarkError("\(name): an image was \(storesResults ? "not " : "")stored at its size")
            }
        }
        let time = TimeSample.now - start
        guard transport.startedCount == 0 else {
            throw BenchmarkError("\(name): \(transport.startedCount) transfers")
        }
        // What is stored afterwards is no part of the next opening.
        await pipeline.cache.flush()
        return time
    }

    private func rows(
        _ name: String,
        _ ours: [TimeSample],
        _ reference: [TimeSample],
        budget: Double?
    ) -> [BenchmarkResult] {
        func row(_ clock: Measure.Clock, _ word: String) -> BenchmarkResult {
            .pairs(
                "\(name), \(word)",
                ours.map { $0[clock] / 1e6 },
                "results of that size alone",
                reference.map { $0[clock] / 1e6 },
                unit: "ms",
                budget: budget
            )
        }
        return [row(.wall, "wall"), row(.processor, "CPU")]
    }
}
