#if Observability
import FoundationEssentials
import Halcyon
import HalcyonObservability
import HalcyonTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

@Suite("The adapters of observers")
final class AdapterTests: Sendable {
    private let transport = ScriptedTransport()
    private let folder =
        FileManager.default.temporaryDirectory.path + "/halcyon-adapters-\(UInt64.random(in: 0 ... .max))"
    private let image: URL
    private let missing: URL

    init() throws {
        image = try #require(URL(string: "https://user:secret@images.example/a.png?token=1"))
        missing = try #require(URL(string: "https://images.example/missing.png"))
        let body = try ImageCodecs.standard.encode(Bitmap(size: PixelSize(8, 6)), as: .png)
        transport.setRoute(image, .init(body: body))
        transport.setRoute(missing, .init(status: 404))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func pipeline(_ observer: some LoadObserving) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            downloader: ImageDownloader(transport: transport),
            cache: ImageCache(disk: DiskCache.Configuration(folder: folder))
        )
        configuration.observers = [observer]
        return ImagePipeline(configuration: configuration)
    }

    /// Loads an image from the network and from memory, and one that there is not.
    private func load(with pipeline: ImagePipeline) async throws {
        _ = try await pipeline.response(for: image)
        _ = try await pipeline.response(for: image)
        await #expect(throws: ImageError.self) { try await pipeline.response(for: self.missing) }
    }

    @Test("write ends, failures and details of loads to a log, without secrets")
    func log() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        try await load(with: pipeline(LogObserver(logger)))
        let entries = handler.entries
        #expect(entries.filter { $0.level == .info }.count == 2)
        let failure = try #require(entries.first { $0.level == .warning })
        #expect("\(failure.message)".hasPrefix("failed at load"))
        #expect(failure.metadata["halcyon.source"] == "https://images.example/missing.png")
        #expect(entries.contains { $0.level == .debug && "\($0.message)".hasPrefix("received") })
        #expect(entries.contains { $0.level == .trace && "\($0.message)" == "found in memory" })
        let text = entries.map { "\($0.message) \($0.metadata)" }.joined()
        #expect(!text.contains("secret") && !text.contains("token"))
    }

    @Test("write nothing below the level of the logger")
    func quietLog() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .warning
        try await load(with: pipeline(LogObserver(logger)))
        #expect(handler.entries.count == 1)
    }

    @Test("record durations, hits and bytes as metrics")
    func metrics() async throws {
        let metrics = TestMetrics()
        try await load(with: pipeline(MetricsObserver(factory: metrics)))
        #expect(try metrics.expectTimer("halcyon.load.duration", [("outcome", "network")]).values.count == 1)
        #expect(try metrics.expectTimer("halcyon.load.duration", [("outcome", "memory")]).values.count == 1)
        #expect(try metrics.expectTimer("halcyon.transfer.duration", [("status", "200")]).values.count == 1)
        #expect(try metrics.expectTimer("halcyon.decode.duration", [("format", "PNG")]).values.count == 1)
        let failures = try metrics.expectCounter("halcyon.load.failures", [("stage", "load"), ("reason", "status")])
        #expect(failures.values == [1])
        let misses = try metrics.expectCounter("halcyon.disk.lookups", [("content", "original"), ("result", "miss")])
        #expect(misses.totalValue >= 1)
    }

    @Test("make a span of each load in the trace of its task, with spans of its stages below it")
    func tracing() async throws {
        let tracer = InMemoryTracer()
        let pipeline = pipeline(TracingObserver(tracer: tracer))
        let root = tracer.startSpan("root")
        try await ServiceContext.withValue(root.context) {
            try await self.load(with: pipeline)
            _ = try await pipeline.task(for: ImageRequest(self.image)).response
        }
        root.end()
        let spans = tracer.finishedSpans
        let rootSpan = try #require(spans.first { $0.operationName == "root" })
        let loads = spans.filter { $0.operationName == "halcyon.load" }
        #expect(loads.count == 4)
        #expect(loads.allSatisfy { $0.parentSpanID == rootSpan.spanID })
        let transfers = spans.filter { $0.operationName == "halcyon.transfer" }
        #expect(transfers.count == 2)
        #expect(transfers.allSatisfy { transfer in loads.contains { $0.spanID == transfer.parentSpanID } })
        let decode = try #require(spans.first { $0.operationName == "halcyon.decode" })
        #expect(decode.startInstant.nanosecondsSinceEpoch <= decode.endInstant.nanosecondsSinceEpoch)
        #expect(loads.filter { $0.status?.code == .error }.count == 1)
        #expect(tracer.activeSpans.isEmpty)
    }
}
#endif
