internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonTesting

/// What a process holds after 300 loads of 6 MP, 50 at a time: no more than its limits say, and little once it is idle.
struct LoadBurstCase: BenchmarkCase {
    /// The first word of the command line of the process that loads.
    static let word = "load-burst"
    private static let loadCount = 300
    private static let concurrency = 50
    private static let memoryCostLimit = 64 << 20
    /// Beyond limits and buffers in use.
    private static let allowance = 64 << 20
    private static let size = PixelSize(3_000, 2_000)

    let name = "300 loads of 6 MP, 50 at a time"

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let process = try LineProcess("/proc/self/exe", [Self.word])
        let answer = try process.answer()
        let numbers = answer.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4 else { throw BenchmarkError(answer) }
        let limit = Double(Self.memoryCostLimit + Self.allowance)
        func row(_ title: String, _ value: Double, _ limit: Double) -> BenchmarkResult {
            .limit("\(name), \(title)", Distribution([value / 1e6]), limit / 1e6, unit: "MB")
        }
        return [
            row("peak", numbers[0], limit + numbers[3]),
            row("5 s later", numbers[1], limit),
            row("5 s after the cache is emptied", numbers[2], Double(Self.allowance)),
        ]
    }

    /// Loads, and prints what the process held at its peak, 5 seconds later and 5 seconds after the cache was emptied, and
    /// the most that was in use beside the cache.
    static func main() async {
        do {
            let image = try SyntheticImage.photograph(size)
            let file = try ImageCodecs.standard.encode(image, as: .jpeg, options: EncodeOptions(quality: 85))
            let pixels = image.byteCount
            StandardStream.output.writeLine(try await load(file, pixels: pixels))
        } catch {
            StandardStream.output.writeLine("failed: \(error)")
        }
    }

    private static func load(_ file: Data, pixels: Int) async throws -> String {
        let folder = try TemporaryFolder()
        let transport = ScriptedTransport()
        let urls = try BenchmarkURLs.make(loadCount)
        for url in urls { transport.setRoute(url, .init(body: file)) }
        let cache = ImageCache(
            disk: DiskCache.Configuration(folder: folder.file("cache")),
            memoryCostLimit: memoryCostLimit
        )
        let pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: transport),
                cache: cache,
                defaultOptions: [.cacheMemoryOnly, .forceRefresh]
            )
        )
        // What making the file took is not the loads'.
        ResidentMemory.resetPeak()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, url) in urls.enumerated() {
                if number >= concurrency { try await group.next() }
                group.addTask { _ = try await pipeline.response(for: url) }
            }
            try await group.waitForAll()
        }
        let peak = ResidentMemory.peak
        try await Task.sleep(for: .seconds(5))
        let idle = ResidentMemory.current
        cache.removeAllFromMemory()
        try await Task.sleep(for: .seconds(5))
        let workers = pipeline.configuration.workerCount
        // Bodies of all loads, and on each worker an image in the making.
        let inUse = concurrency * file.count + workers * pixels
        return "\(peak) \(idle) \(ResidentMemory.current) \(inUse)"
    }
}
