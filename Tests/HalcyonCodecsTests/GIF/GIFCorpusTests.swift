import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("GIF files of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct GIFCorpusTests {
    @Test("decode to the pixels, sizes, frames and timings that their suites state, or are refused as they state")
    func corpus() throws {
        let known = [
            "gif_pygif/animation-multi-image-explicit-zero-delay.gif":
                "counted as 4 frames because its suite joins images without a delay; its 7 durations are right",
            "gif_pygif/dispose-restore-previous.gif":
                "counted as 4 frames because its suite joins images without a delay",
        ]
        let run = try CorpusRun(
            format: "gif",
            decoder: GIFDecoder(),
            knownDifferences: known,
            composer: frameHash
        )
        print(run.summary)
        #expect(run.checkedCount > 100)
        #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n"))")
        #expect(run.unexpectedSuccesses.isEmpty)
    }

    /// The hash over all frames, and their number.
    private func frameHash(_ data: Data) throws -> (hash: String, count: Int) {
        try FrameReader.hash(data, GIFDecoder())
    }
}
