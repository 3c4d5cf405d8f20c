import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("JPEG encoding")
struct JPEGEncoderTests {
    private func decode(_ data: Data) throws -> Bitmap {
        try JPEGDecoder().decode(data, options: DecodeOptions(), isCancelled: { false }).bitmap
    }

    @Test("higher quality is nearer to the original and larger")
    func quality() throws {
        let original = try Bitmap.sample(PixelSize(120, 90))
        let files = try [10, 50, 85, 100].map {
            try JPEGEncoder().encode(original, options: EncodeOptions(quality: $0))
        }
        #expect(files.map(\.count) == files.map(\.count).sorted())
        #expect(try #require(decode(files[2]).greatestDifference(from: original)) < 16)
        #expect(try #require(decode(files[3]).greatestDifference(from: original)) <= 4)
        #expect(
            try firstDifference(JPEGEncoder().encode(original, options: EncodeOptions(quality: nil)), files[3]) == nil
        )
        #expect(
            try firstDifference(JPEGEncoder().encode(original, options: EncodeOptions(quality: 1_000)), files[3]) == nil
        )
    }

    @Test("colour has half the resolution below quality 90", arguments: [(89, 2), (90, 1)])
    func chroma(_ quality: Int, factor: Int) throws {
        let data = try JPEGEncoder().encode(Bitmap.sample(PixelSize(20, 20)), options: EncodeOptions(quality: quality))
        let header = try JPEGHeader(parsing: data)
        #expect(header.components.map(\.horizontalSampling) == [factor, 1, 1])
        #expect(header.components.map(\.verticalSampling) == [factor, 1, 1])
        #expect(!header.isProgressive)
    }

    @Test("transparent pixels are laid on the background, which is white unless chosen")
    func background() throws {
        var bitmap = try Bitmap(size: PixelSize(40, 40))
        bitmap.fill(PixelRect(x: 0, y: 0, width: 40, height: 20), with: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
        let onWhite = try decode(JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: 100)))
        #expect(isNear(onWhite[5, 5], [255, 127, 127]))
        #expect(isNear(onWhite[35, 35], [255, 255, 255]))
        let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.2)
        let onBlue = try decode(JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: 100, background: blue)))
        #expect(isNear(onBlue[5, 5], [128, 0, 127]))
        #expect(isNear(onBlue[35, 35], [0, 0, 255]))
    }

    @Test(
        "sides that the format cannot hold are refused",
        arguments: [
            (JPEGEncoder() as any ImageEncoder, 65_500), (WebPEncoder(), 16_383),
        ]
    )
    func sides(_ encoder: any ImageEncoder, maximum: Int) throws {
        let size = PixelSize(1, maximum + 1)
        let error = CodecError.cannotEncode(encoder.format, reason: "\(size) pixels; a side can have \(maximum)")
        #expect(throws: error) { try encoder.encode(Bitmap(size: size, isOpaque: false), options: EncodeOptions()) }
        let longest = try encoder.encode(Bitmap(size: PixelSize(1, maximum)), options: EncodeOptions())
        #expect(try ImageCodecs.standard.info(of: longest).size == PixelSize(1, maximum))
    }

    private func isNear(_ pixel: [UInt8], _ expected: [Int]) -> Bool {
        zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= 3 }
    }
}
