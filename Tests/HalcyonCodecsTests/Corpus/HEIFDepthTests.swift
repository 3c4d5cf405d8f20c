import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("AVIF and HEIC of more than 8 bits", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct HEIFDepthTests {
    @Test(
        "16 bits a sample are kept on request, and agree with the 8 bits",
        arguments: [
            "avif_libavif/colors_hdr_srgb.avif",
            "avif_link_u/plum-blossom-small.profile2.12bpc.yuv444.alpha-full.avif",
            "avif_link_u/star-12bpc-with-alpha.avifs",
            "anchor_kingfisher/PixelFormats/gradient-10b-srgb-alpha.heic",
            "anchor_sdwebimage/TestHDR.heic",
        ]
    )
    func depth(_ path: String) throws {
        let data = try PixelCorpus.data(path)
        let decoder = try ImageCodecs.all.decoder(for: data)
        func decode(_ options: DecodeOptions) throws -> DecodedImage {
            try decoder.decode(data, options: options, isCancelled: { false })
        }
        let sixteen: DecodedImage
        do {
            sixteen = try decode(DecodeOptions(keepsSixteenBits: true))
        } catch let error as CodecError where isRefused(path) {
            // It refers to an item 0, which ISO/IEC 14496-12 does not allow.
            guard case .corrupt(.avif, let reason) = error, reason.contains("invalid item ID") else { throw error }
            return
        }
        let eight = try decode(DecodeOptions())
        #expect(sixteen.bitmap.depth == .sixteen && eight.bitmap.depth == .eight)
        #expect(sixteen.info == eight.info && sixteen.info.bitDepth > 8)
        #expect(sixteen.bitmap.isOpaque == eight.bitmap.isOpaque)
        let difference = try sixteen.bitmap.converted(to: .eight).greatestDifference(from: eight.bitmap)
        // The fast conversion to 8 bits interpolates colours with less precision.
        #expect(try #require(difference) <= 16)
        // Samples widened from 8 bits would have two equal bytes.
        let isFine = sixteen.bitmap.withUnsafeBytes { bytes in
            let middle = sixteen.bitmap.height / 2 * sixteen.bitmap.bytesPerRow
            return stride(from: middle, to: middle + sixteen.bitmap.width * 8, by: 2).contains { index in
                bytes[index] != bytes[index + 1]
            }
        }
        #expect(isFine)
        #expect(throws: CodecError.self) {
            try decode(DecodeOptions(keepsSixteenBits: true, limits: DecodeLimits(memory: sixteen.bitmap.byteCount)))
        }
    }

    /// Returns whether this libavif may be stricter with a file than browsers are: 1.2 is.
    private func isRefused(_ path: String) -> Bool {
        path == "avif_link_u/star-12bpc-with-alpha.avifs" && !CodecLibrary.avif.isOlder(than: .init(1, 0))
    }

    @Test("8 bits stay 8 bits", arguments: ["avif_pillow/transparency.avif", "heic_nokia/C002.heic"])
    func eight(_ path: String) throws {
        let image = try ImageCodecs.all.decode(
            PixelCorpus.data(path),
            options: DecodeOptions(keepsSixteenBits: true)
        )
        #expect(image.bitmap.depth == .eight)
    }
}
