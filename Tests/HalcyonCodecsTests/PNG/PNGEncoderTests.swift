import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("PNG encoder")
struct PNGEncoderTests {
    private func roundTrip(_ bitmap: Bitmap) throws -> DecodedImage {
        let data = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        return try PNGDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test("an opaque image comes back as it was, whatever its size", arguments: [1, 2, 3, 5, 16, 33, 100])
    func opaque(width: Int) throws {
        for height in [1, 2, 3, 7, 40] {
            let bitmap = try TestImages.photo(width, height)
            let image = try roundTrip(bitmap)
            #expect(image.bitmap.premultipliedBytes() == bitmap.premultipliedBytes())
            #expect(image.bitmap.isOpaque)
            #expect(!image.info.hasAlpha)
        }
    }

    @Test("an image with alpha comes back as it was, premultiplied", arguments: [1, 2, 5, 64, 255])
    func translucent(width: Int) throws {
        let bitmap = try TestImages.translucent(width, 31)
        let image = try roundTrip(bitmap)
        #expect(image.bitmap.premultipliedBytes() == bitmap.premultipliedBytes())
        #expect(!image.bitmap.isOpaque)
        #expect(image.info.hasAlpha)
    }

    @Test("an image whose pixels are all opaque is stored without alpha even if it is not marked as opaque")
    func opacityIsFound() throws {
        var bitmap = try TestImages.photo(20, 20)
        bitmap.isOpaque = false
        #expect(try roundTrip(bitmap).info.hasAlpha == false)
    }

    @Test("the file has one IDAT, is marked as sRGB, and compresses a plain area well")
    func layout() throws {
        let bitmap = try TestImages.bitmap(500, 500) { _, _ in (10, 20, 30, 255) }
        let data = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        let types = PNGBytes.chunkTypes(data)
        #expect(types == ["IHDR", "sRGB", "PLTE", "IDAT", "IEND"])
        #expect(data.count < 2_500)
    }

    @Test("an image like a photograph takes less than a third of its raw size")
    func filtersHelp() throws {
        let bitmap = try TestImages.bitmap(256, 256) { x, y in (x & 255, y & 255, (x + y) / 2, 255) }
        let data = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        #expect(data.count < 256 * 256 / 20)
    }
}
