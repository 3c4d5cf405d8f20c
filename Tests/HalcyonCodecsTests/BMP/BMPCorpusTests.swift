import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite(
    "BMP, ICO, CUR and QOI files of the public corpora",
    .enabled(if: PixelCorpus.isPresent, "the corpora are not there")
)
struct BMPCorpusTests {
    @Test(
        "decode to the pixels and sizes that their suites state, or are refused as they state",
        arguments: [
            BMPDecoder() as any ImageDecoder, ICODecoder(), CURDecoder(), QOIDecoder(),
        ]
    )
    func corpus(_ decoder: any ImageDecoder) throws {
        let known = [
            "image_rs/bad/ico/Bad_smile-incorrect-image-length.ico":
                "other decoders accept it too: sizes in directories are often wrong"
        ]
        let run = try CorpusRun(
            format: decoder.format.rawValue,
            decoder: decoder,
            knownDifferences: known,
            composer: { _ in ("", 0) }
        )
        print(run.summary)
        #expect(run.checkedCount > 0)
        #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n"))")
        #expect(run.unexpectedSuccesses.isEmpty)
    }

    /// The files that browsers do not show either.
    private static let unsupported: Set = [
        "bmp_suite/questionable/pal1huffmsb.bmp", "bmp_suite/questionable/rgb24jpeg.bmp",
        "bmp_suite/questionable/rgb24png.bmp", "bmp_suite/questionable/rgba64.bmp",
    ]
    /// Images that we show differently from their reference, with the reason.
    private static let exceptions = [
        "bmp_suite/questionable/rgb24rle24.bmp": "its reference has a palette of 252 colours"
    ]

    @Test("look like one of their references, where those are images", arguments: ["bmp", "ico", "qoi"])
    func references(_ format: String) throws {
        let decoder = try #require(ImageCodecs.all.decoders.first { $0.format.rawValue == format })
        var compared = 0
        for row in try PixelCorpus.rows(format: format) {
            let references = row["reference"].split(separator: " ").filter { $0.hasSuffix(".png") }
            guard !references.isEmpty, !Self.unsupported.contains(row.path), Self.exceptions[row.path] == nil else {
                continue
            }
            let bitmap = try decoder.decode(
                try PixelCorpus.data(row.path),
                options: DecodeOptions(),
                isCancelled: { false }
            ).bitmap
            // Premultiplied samples of references that are rounded otherwise differ by 1 or 2.
            let differences = try references.compactMap { path in
                let reference = try PixelCorpus.data(String(path))
                return try PNGDecoder().decode(reference, options: DecodeOptions(), isCancelled: { false }).bitmap
                    .greatestDifference(from: bitmap)
            }
            #expect(differences.contains { $0 <= 2 }, "\(row.path): \(differences)")
            compared += 1
        }
        print("\(format): \(compared) files compared with their references")
    }
}
