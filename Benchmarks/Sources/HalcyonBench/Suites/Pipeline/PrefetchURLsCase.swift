internal import FoundationEssentials
internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonHTTP

/// Prefetching many URLs from nginx on loopback onto the disk, as a program does that fills its cache, against the
/// transfers alone; and the memory that it takes, against that of a quarter as many.
struct PrefetchURLsCase: BenchmarkCase {
    let origin: PrefetchOrigin
    let count: Int

    var name: String { "prefetch \(count) URLs to disk" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        try origin.start()
        let base = try origin.url()
        var (ours, reference) = ([Double](), [Double]())
        _ = try await prefetch(count / 10, from: base)
        for _ in 0..<min(settings.samples, 3) {
            var start = TimeSample.now
            _ = try await prefetch(count, from: base)
            ours.append((TimeSample.now - start).wall / 1e3 / Double(count))
            start = TimeSample.now
            try await transfer(count, from: base)
            reference.append((TimeSample.now - start).wall / 1e3 / Double(count))
        }
        let peaks = (
            few: [Double(try await prefetch(count / 4, from: base)) / 1_048_576],
            all: [Double(try await prefetch(count, from: base)) / 1_048_576]
        )
        return [
            .pairs(name, ours, "CurlTransport.data(for:)", reference, unit: "µs"),
            .pairs("\(name), memory at its peak", peaks.all, "\(count / 4) URLs", peaks.few, unit: "MiB"),
        ]
    }

    /// Prefetches into a cache of its own.
    ///
    /// - Returns: The bytes of memory in use at the peak, less those before.
    private func prefetch(_ count: Int, from base: String) async throws -> Int {
        let folder = try TemporaryFolder()
        let transport = CurlTransport(configuration: .benchmark(nil))
        defer { transport.shutdown() }
        let pipeline = ImagePipeline(configuration: .benchmark(transport, folder: folder))
        ResidentMemory.resetPeak()
        let before = ResidentMemory.current
        let result = await ImagePrefetcher(
            urls: NumberedURLs(base: base, count: count),
            pipeline: pipeline,
            destination: .disk,
            maxConcurrentLoads: HTTPSuite.concurrency
        ).run()
        guard result.counts.completedCount == count else { throw BenchmarkError("\(name): \(result.counts)") }
        withExtendedLifetime(folder) {}
        return ResidentMemory.peak - before
    }

    private func transfer(_ count: Int, from base: String) async throws {
        let transport = CurlTransport(configuration: .benchmark(nil))
        defer { transport.shutdown() }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (started, url) in NumberedURLs(base: base, count: count).enumerated() {
                if started >= HTTPSuite.concurrency { _ = try await group.next() }
                group.addTask { try await transport.data(for: TransferRequest(url: url)).data.count }
            }
            try await group.waitForAll()
        }
    }
}

/// URLs that differ, of the files of the origin, made as they are asked for.
private struct NumberedURLs: Sequence, Sendable {
    let base: String
    let count: Int

    func makeIterator() -> AnyIterator<URL> {
        var number = 0
        return AnyIterator {
            guard number < count else { return nil }
            defer { number += 1 }
            return URL(string: "\(base)\(number % PrefetchOrigin.imageCount).jpg?number=\(number)")
        }
    }
}

/// An nginx with 500 different images of about 20 kB.
///
/// Unchecked: changed by ``start()`` and ``stop()`` alone, before and after the cases run.
final class PrefetchOrigin: @unchecked Sendable {
    static let imageCount = 500

    private let origin = NginxOrigin { folder in
        let image = try SyntheticImage.photograph(PixelSize(320, 240))
        let file = [UInt8](try ImageCodecs.standard.encode(image, as: .jpeg, options: EncodeOptions(quality: 85)))
        for number in 0..<PrefetchOrigin.imageCount {
            try writeFile(folder.file("\(number).jpg"), file.withJPEGComment("\(number)"))
        }
    }
    private var isRunning = false

    func url() throws -> String { try origin.url(.http1, path: "") }

    /// Starts the server, the first time: the other cases of the suite need none.
    func start() throws {
        if isRunning { return }
        isRunning = true
        try origin.start()
    }

    func stop() {
        if isRunning { origin.stop() }
    }
}
