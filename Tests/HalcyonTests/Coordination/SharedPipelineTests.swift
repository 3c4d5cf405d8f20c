import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The shared pipeline", .serialized)
struct SharedPipelineTests {
    /// Asks for the shared pipeline at its end.
    private final class Asking: Sendable {
        let hasEnded: Gate

        init(hasEnded: Gate) {
            self.hasEnded = hasEnded
        }

        deinit {
            _ = ImagePipeline.shared
            hasEnded.open()
        }
    }

    @Test("may be asked for while the one before it is released")
    func replaced() async {
        let hasEnded = Gate()
        for _ in 0..<2 {
            let asking = Asking(hasEnded: hasEnded)
            let cache = ImageCache(
                disk: .init(folder: TestPipeline.temporaryPath()),
                memoryPressure: nil,
                onFault: { _ in _ = asking }
            )
            let downloader = ImageDownloader(transport: ScriptedTransport())
            ImagePipeline.shared = ImagePipeline(configuration: .init(downloader: downloader, cache: cache))
        }
        await hasEnded.wait()
    }

    @Test("is the one in use where none is named, from the moment that it is assigned")
    func standard() async throws {
        let (first, second) = (TestPipeline(), TestPipeline())
        let url = Sample.url()
        for test in [first, second] { test.transport.serve(url, Sample.png()) }
        ImagePipeline.shared = first.pipeline
        #expect(ImagePipeline.shared === first.pipeline)
        let prefetcher = ImagePrefetcher(urls: [url])
        let sequence = ImagePrefetcher(urls: [url][...])
        ImagePipeline.shared = second.pipeline
        // What was made before keeps its pipeline.
        #expect(await prefetcher.run().completed.count == 1)
        #expect(await sequence.run().counts.skippedCount == 1)
        #expect(second.transport.startedCount == 0)
        #expect(await ImagePrefetcher(urls: [url]).run().completed.count == 1)
        #expect([first, second].map(\.transport.startedCount) == [1, 1])
    }
}
