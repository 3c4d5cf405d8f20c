import FoundationEssentials
import HalcyonConcurrency
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
}
