import FoundationEssentials
import HalcyonCodecs
import Testing

@testable import HalcyonJPEGXL
@testable import HalcyonSVG
@testable import HalcyonTIFF

@Suite(
    "TIFF, JPEG XL and SVG files of the public corpora",
    .enabled(if: PixelCorpus.isPresent, "the corpora are not there")
)
struct FormatsCorpusTests {
    private func expectNothingNew(_ run: FormatCorpusRun, known: [String: String]) {
        let failures = run.failures.filter { known[$0.key] == nil }
        let report = failures.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n")
        #expect(failures.isEmpty, "\(report)")
        let mended = known.keys.filter { run.failures[$0] == nil }
        #expect(mended.isEmpty)
    }

    @Test("TIFF decodes to the sizes, pages and pixels that their suites state")
    func tiff() throws {
        let scaling = "the list's means are of a decoder that cuts off wide and floating-point samples, or widens light"
        let run = try FormatCorpusRun(format: "tiff", decoder: TIFFDecoder())
        #expect(run.checkedCount > 150 && run.hashedCount > 40)
        expectNothingNew(
            run,
            known: [
                "image_rs/tiff/testsuite/rgb32f_bw.tiff": scaling,
                "image_rs/tiff/testsuite/rgb32f_color.tiff": scaling,
                "tiff_libgd/edge-cases/subsubifds.tif": "has three pages, of which the list counts one",
                "tiff_libgd/valid/cmyk-3c-32b-float.tiff": scaling,
                "tiff_libgd/valid/flower-rgb-planar-32.tif": scaling,
                "tiff_libgd/valid/flower-separated-planar-16.tif":
                    "the list's decoder does not put the planes together",
                "tiff_libgd/valid/gradient-3c-32b-float.tiff": scaling,
                "tiff_libgd/valid/gradient-3c-32b.tiff": scaling,
                "tiff_libgd/valid/hpredict_cmyk.tiff": "the list's decoder assumes a profile for CMYK",
                "tiff_libgd/valid/off_l16.tif": scaling,
                "tiff_libgd/valid/random-fp16-pred2.tiff": scaling,
                "tiff_libgd/valid/random-fp16.tiff": scaling,
                "tiff_libgd/valid/single-black-fp16.tiff": scaling,
                "tiff_libgd/valid/white-fp16-pred2.tiff": scaling,
                "tiff_libgd/valid/white-fp16-pred3.tiff": scaling,
            ]
        )
    }

    @Test("JPEG XL decodes to the sizes and pixels that their suites state")
    func jpegXL() throws {
        let last = "the list's means are those of the last frame"
        let linear = "the list's means are of linear light"
        let run = try FormatCorpusRun(format: "jxl", decoder: JPEGXLDecoder())
        #expect(run.checkedCount > 70)
        var known = [
            "jxl_conformance/grayscale/input.jxl": linear,
            "jxl_libgd/animation_distance_0_0.jxl": last,
            "jxl_libgd/animation_distance_1_0.jxl": last,
            "jxl_rs/5_frames_numbered_jxli.jxl": last,
            "jxl_rs/cropped_traffic_light.jxl": last,
            "jxl_rs/lossy_with_icc.jxl": linear,
        ]
        if CodecLibrary.jpegXL.isOlder(than: .init(0, 9)) {
            known["jxl_libjxl/splines.jxl"] = "libjxl 0.7 draws no splines as large"
        }
        expectNothingNew(run, known: known)
    }

    @Test("SVG is drawn at the sizes that their suites state, most of it as other programs do")
    func svg() throws {
        for format in ["svg", "svgz"] {
            let run = try FormatCorpusRun(format: format, decoder: SVGDecoder())
            let drawn = run.failures.filter { $0.value.hasPrefix("its means") }
            let others = run.failures.filter { drawn[$0.key] == nil }
            #expect(others.isEmpty, "\(others)")
            // What renderers differ in: filters, images inside of images, text and references to nothing.
            #expect(drawn.count <= run.checkedCount / 2, "\(drawn.keys.sorted().joined(separator: "\n"))")
        }
    }
}
