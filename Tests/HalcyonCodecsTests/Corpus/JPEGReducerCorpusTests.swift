import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite(
    "JPEG files of the public corpora at reduced size",
    .enabled(if: PixelCorpus.isPresent, "the corpora are not there")
)
struct JPEGReducerCorpusTests {
    /// Levels by which samples may differ, in the square mean, after the reduction that follows: libjpeg lets high
    /// frequencies add to its samples.
    private static let greatestError = 6.0

    @Test("look the same with and without libjpeg, and have the same verdict", arguments: [1, 2, 4])
    func corpus(_ eighths: Int) throws {
        var ownCount = 0
        for row in try PixelCorpus.rows(format: "jpeg") {
            let file = try PixelCorpus.data(row.path)
            guard let size = try? JPEGHeader(parsing: file).size, size.area < 1 << 26 else {
                continue
            }
            let libjpeg = Result { try JPEGReduction.decode(file, eighths: eighths, usesReducer: false) }
            let decoded = Result { try JPEGReduction.decode(file, eighths: eighths) }
            switch (libjpeg, decoded) {
            case (.success(let expected), .success(let image)):
                #expect(image.info == expected.info)
                let error = try Self.error(of: image.bitmap, to: expected.bitmap)
                #expect(error <= Self.greatestError, "\(row.path): \(error)")
                ownCount += try JPEGReduction.own(file, eighths: eighths) == nil ? 0 : 1
            case (.failure(let expected as CodecError), .failure(let error as CodecError)):
                #expect(error == expected, "\(row.path)")
            default:
                Issue.record("\(row.path): \(decoded) instead of \(libjpeg)")
            }
        }
        #expect(ownCount >= 100)
    }

    private static func error(of bitmap: Bitmap, to other: Bitmap) throws -> Double {
        let half = PixelSize((bitmap.width + 1) / 2, (bitmap.height + 1) / 2)
        let samples = try bitmap.resampled(to: half).premultipliedBytes()
        let others = try other.resampled(to: half).premultipliedBytes()
        let sum = zip(samples, others).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        return (Double(sum) / Double(samples.count)).squareRoot()
    }
}
