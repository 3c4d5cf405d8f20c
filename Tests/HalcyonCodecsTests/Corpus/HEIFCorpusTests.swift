import FoundationEssentials
import HalcyonCodecs
import Testing

@testable import HalcyonHEIC

@Suite("AVIF and HEIC files of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct HEIFCorpusTests {
    /// Files that we read differently from what the manifest states, with the reason.
    private static let exceptions = [
        "avif_av1_avif/Microsoft/Chimera_10bit_cropped_to_1920x1008_with_HDR_metadata.avif":
            "the manifest states the size within the clean aperture, which we do not apply, here alone",
        "avif_pillow/xmp_tags_orientation.avif": "its orientation stands in EXIF, which does not count in AVIF",
    ]

    @Test("AVIF decodes to the sizes, frames, timings and pixels stated, or is refused as stated")
    func avif() throws {
        let run = try LossyCorpusRun(format: "avif", decoder: AVIFDecoder())
        check(run)
        #expect(run.checkedCount > 90)
    }

    @Test("HEIC decodes to the sizes, frames and pixels stated, or is refused as stated", arguments: ["heic", "heif"])
    func heic(_ format: String) throws {
        check(try LossyCorpusRun(format: format, decoder: HEICDecoder()))
    }

    private func check(_ run: LossyCorpusRun) {
        let failures = run.failures.filter { Self.exceptions[$0.key] == nil }
        let report = failures.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n")
        #expect(failures.isEmpty, "\(report)")
        #expect(run.decodedCount > 0 || run.checkedCount < 40)
    }
}
