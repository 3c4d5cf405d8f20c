internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// 10,000 requests for one image, all made before the server answers: what is transferred and decoded is counted, and
/// the time of each request measured against the least that waiting costs in Swift.
struct SharedRequestsCase: PairedCase {
    private static let requestCount = 10_000

    var name: String { "10,000 requests for one image" }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(Self.requestCount) }
    var measures: [Measure] { [Measure(clock: .wall)] }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let folder = try TemporaryFolder()
        let (transport, counter) = (ScriptedTransport(), CountingDecoder<PNGDecoder>.Counter())
        let pipeline = try await Self.pipeline(transport, counter, folder)
        let results = try await Self.load(Self.requestCount, pipeline, transport, SyntheticImage.icon())
        return [
            .count("\(name): transfers", transport.startedCount, required: 1, unit: "transfers"),
            .count("\(name): decodes", counter.value, required: 1, unit: "decodes"),
            .count("\(name): results", results, required: Self.requestCount, unit: "results"),
        ] + (try await PairedRun(settings).results(of: self))
    }

    func contest() async throws -> Contest {
        let image = try SyntheticImage.icon()
        let folder = try TemporaryFolder()
        return Contest(
            ours: Contender("ImagePipeline") { count in
                let transport = ScriptedTransport()
                let pipeline = try await Self.pipeline(transport, .init(), folder)
                let results = try await Self.load(count, pipeline, transport, image)
                guard results == count else { throw BenchmarkError("\(count) requests had \(results) results") }
            },
            references: [
                Contender("tasks that await one task's value") { count in
                    let (stream, continuation) = AsyncStream<Int>.makeStream()
                    let shared = Task { await stream.reduce(0, +) }
                    let waiters = (0..<count).map { _ in Task { await shared.value } }
                    continuation.yield(1)
                    continuation.finish()
                    var sum = 0
                    for waiter in waiters { sum += await waiter.value }
                    guard sum == count else { throw BenchmarkError("a task had no value") }
                }
            ]
        )
    }

    private static func pipeline(
        _ transport: ScriptedTransport,
        _ counter: CountingDecoder<PNGDecoder>.Counter,
        _ folder: TemporaryFolder
    ) async throws -> ImagePipeline {
        let decoder = CountingDecoder(base: PNGDecoder(), counter: counter)
        return ImagePipeline(
            configuration: .benchmark(
                transport,
                folder: folder,
                codecs: ImageCodecs.standard.registering(decoder: decoder)
            )
        )
    }

    /// Returns how many results there were.
    private static func load(
        _ count: Int,
        _ pipeline: ImagePipeline,
        _ transport: ScriptedTransport,
        _ image: Data
    ) async throws -> Int {
        guard let url = URL(string: "https://images.example.com/one.png") else { return 0 }
        let tasks = (0..<count).map { _ in pipeline.task(for: url, options: [.cacheMemoryOnly]) }
        await transport.nextTransfer().answer(.init(body: image))
        var results = 0
        for task in tasks where try await task.response.image.size.width == 16 {
            results += 1
        }
        return results
    }
}
