import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("PNG files of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct PNGCorpusTests {
    @Test("decode to the pixels, sizes, frames and timings that their suites state, or are refused as they state")
    func corpus() throws {
        let known = [
            "wuffs/animated-red-blue.apng":
                "the hash of its frames is of a decoder that applies tRNS to the composed canvas; see sameAnimation"
        ]
        let run = try CorpusRun(
            format: "png",
            decoder: PNGDecoder(),
            knownDifferences: known,
            composer: frameHash
        )
        print(run.summary)
        #expect(run.checkedCount > 100)
        #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n"))")
        #expect(run.unexpectedSuccesses.isEmpty)
    }

    @Test("an animation stored as APNG and as GIF has the same pixels in every frame")
    func sameAnimation() throws {
        let frames = try frameHash(try PixelCorpus.data("wuffs/animated-red-blue.apng"))
        let gif = try PixelCorpus.rows(format: "gif").first { $0.path == "wuffs/animated-red-blue.gif" }
        #expect(frames.hash == gif?["sha256_frames"])
    }

    /// The hash over all frames, and their number.
    private func frameHash(_ data: Data) throws -> (hash: String, count: Int) {
        try FrameReader.hash(data, PNGDecoder())
    }
}
