import FoundationEssentials
import Testing

@testable import HalcyonCodecs

@Suite("JPEG and WebP files of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct LossyCorpusTests {
    @Test(
        "decode to the sizes, frames, timings and pixels that their suites state, or are refused as they state",
        arguments: [JPEGDecoder() as any ImageDecoder, WebPDecoder()]
    )
    func corpus(_ decoder: any ImageDecoder) throws {
        let run = try LossyCorpusRun(format: decoder.format.rawValue, decoder: decoder)
        let report = run.failures.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n")
        #expect(run.failures.isEmpty, "\(report)")
        #expect(run.checkedCount > 150)
        #expect(run.decodedCount > 130)
    }

    @Test(
        "cut in the middle are truncated, never half an image",
        arguments: [JPEGDecoder() as any ImageDecoder, WebPDecoder()]
    )
    func cut(_ decoder: any ImageDecoder) throws {
        // The image of tiny.webp, 70 pixels, lies in its first half; the other one is metadata.
        let exception = "webp_image_rs/regression/tiny.webp"
        for row in try PixelCorpus.rows(format: decoder.format.rawValue)
        where row.expectation == "decodes" && row.path != exception {
            let data = try PixelCorpus.data(row.path)
            let half = data.prefix(data.count / 2)
            let options = DecodeOptions(damage: .isRefused)
            if row.frameCount ?? 1 > 1,
                let image = try? decoder.decode(half, options: options, isCancelled: { false })
            {
                // The first frame of an animation may be all there.
                let whole = try decoder.decode(data, options: DecodeOptions()) { false }
                #expect(image.bitmap.premultipliedBytes() == whole.bitmap.premultipliedBytes(), "\(row.path)")
                continue
            }
            let error = #expect(throws: CodecError.self, "\(row.path)") {
                try decoder.decode(half, options: options, isCancelled: { false })
            }
            #expect(error?.isOfDamage == true, "\(row.path)")
        }
    }
}
