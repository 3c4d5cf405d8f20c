import FoundationEssentials
import HalcyonCodecs
import Testing

@Suite("JPEG and WebP files of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct LossyCorpusTests {
    /// Files that we read differently from what the manifest states, with the reason.
    private static let exceptions = [
        "pillow/hopper_bad_exif.jpg": "its last rows are damaged (a bad Huffman code); refused rather than shown grey"
    ]

    @Test(
        "decode to the sizes, frames, timings and pixels that their suites state, or are refused as they state",
        arguments: [JPEGDecoder() as any ImageDecoder, WebPDecoder()]
    )
    func corpus(_ decoder: any ImageDecoder) throws {
        let run = try LossyCorpusRun(format: decoder.format.rawValue, decoder: decoder)
        let failures = run.failures.filter { Self.exceptions[$0.key] == nil }
        let report = failures.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n")
        #expect(failures.isEmpty, "\(report)")
        #expect(run.checkedCount > 150)
        #expect(run.decodedCount > 130)
    }
}
