import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Placeholders of images")
struct PlaceholderEncodingTests {
    /// Dark at the left, light at the right.
    private func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try TestImages.bitmap(width, height) { x, _ in
            let level = 20 + x * 200 / width
            return (level, level, level, 255)
        }
    }

    @Test("a BlurHash has the colour of an image of one colour", arguments: [(1, 1), (4, 3), (9, 9)])
    func plainBlurHash(columns: Int, rows: Int) throws {
        let bitmap = try TestImages.bitmap(7, 5) { _, _ in (200, 100, 50, 255) }
        let hash = try BlurHash(bitmap, horizontalComponentCount: columns, verticalComponentCount: rows)
        #expect(hash.horizontalComponentCount == columns && hash.verticalComponentCount == rows)
        #expect(hash.averageColor == Color(red: 200.0 / 255, green: 100.0 / 255, blue: 50.0 / 255))
    }

    @Test("a BlurHash keeps the direction of a gradient, whatever the size of the image", arguments: [30, 400])
    func directedBlurHash(width: Int) throws {
        let shown = try BlurHash(gradient(width, 20)).bitmap(size: PixelSize(32, 24))
        #expect(shown[2, 12][0] + 60 < shown[16, 12][0] && shown[16, 12][0] + 40 < shown[30, 12][0])
    }

    @Test("a BlurHash of a transparent image has the colour below it")
    func transparentBlurHash() throws {
        let bitmap = try Bitmap(size: PixelSize(8, 8))
        #expect(try BlurHash(bitmap).averageColor == .white)
        #expect(try BlurHash(bitmap, background: .black).averageColor == .black)
    }

    @Test("a BlurHash has 1 to 9 components a side")
    func componentCounts() throws {
        let bitmap = try gradient(8, 8)
        for (columns, rows) in [(0, 3), (10, 3), (4, 0), (4, 10)] {
            #expect(throws: CodecError.self) {
                try BlurHash(bitmap, horizontalComponentCount: columns, verticalComponentCount: rows)
            }
        }
    }

    @Test(
        "a ThumbHash of the image of a hash has its average and shape",
        arguments: ["1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j2w"]
    )
    func thumbHashRoundTrip(text: String) throws {
        let hash = try ThumbHash(base64: text)
        let again = try ThumbHash(hash.bitmap(longestSide: 100))
        #expect(again.averageColor == hash.averageColor && again.aspectRatio == hash.aspectRatio)
        #expect(again.hasAlpha == hash.hasAlpha && again.bytes.count == hash.bytes.count)
    }

    @Test("a ThumbHash tells where an image is transparent")
    func translucentThumbHash() throws {
        let bitmap = try TestImages.bitmap(40, 40) { x, _ in (220, 30, 30, x < 20 ? 0 : 255) }
        let hash = try ThumbHash(bitmap)
        #expect(hash.hasAlpha && (0.4...0.6).contains(hash.averageColor.alpha))
        let shown = try hash.bitmap()
        #expect(shown[3, 16][3] < 60 && shown[28, 16][3] > 190)
    }

    @Test("a cancelled placeholder is not made")
    func cancelled() throws {
        let bitmap = try gradient(300, 20)
        #expect(throws: CancellationError.self) { try BlurHash(bitmap, isCancelled: { true }) }
        #expect(throws: CancellationError.self) { try ThumbHash(bitmap, isCancelled: { true }) }
    }

    @Test("the dominant colour takes the largest part, and is not the average")
    func dominantColor() throws {
        let bitmap = try TestImages.bitmap(60, 10) { x, _ in x < 35 ? (250, 20, 20, 255) : (20, 20, 250, 255) }
        let color = try #require(try bitmap.dominantColor())
        for (part, sample) in [(color.red, 250.0), (color.green, 20), (color.blue, 20), (color.alpha, 255)] {
            #expect(abs(part * 255 - sample) < 1e-6)
        }
        let hidden = try TestImages.bitmap(60, 10) { x, _ in x < 35 ? (250, 20, 20, 40) : (20, 20, 250, 255) }
        #expect(try #require(try hidden.dominantColor()).blue > 0.9)
        #expect(try Bitmap(size: PixelSize(4, 4)).dominantColor() == nil)
    }
}
