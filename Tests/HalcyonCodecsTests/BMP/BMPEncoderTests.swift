import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("BMP encoder")
struct BMPEncoderTests {
    @Test(
        "what is written is read back: opaque images exactly, translucent ones within the rounding of straight alpha"
    )
    func roundTrip() throws {
        for width in [1, 2, 3, 5, 64] {
            let opaque = try TestImages.photo(width, 7)
            let translucent = try TestImages.translucent(width, 7)
            for (bitmap, bits) in [(opaque, 24), (translucent, 32)] {
                let file = try BMPEncoder().encode(bitmap, options: EncodeOptions())
                let image = try BMPDecoder().decode(file, options: DecodeOptions(), isCancelled: { false })
                #expect(image.bitmap.greatestDifference(from: bitmap) ?? 255 <= (bits == 24 ? 0 : 1))
                #expect(image.bitmap.isOpaque == bitmap.isOpaque)
                #expect(Int(file[28]) == bits)
                #expect(image.colorProfile == nil)
                #expect(file.count == Int(file[2]) | Int(file[3]) << 8 | Int(file[4]) << 16)
            }
        }
    }

    @Test("a bitmap that could have alpha but has none takes 24 bits")
    func opaqueWithoutKnowing() throws {
        var bitmap = try TestImages.photo(4, 4)
        bitmap.isOpaque = false
        #expect(try BMPEncoder().encode(bitmap, options: EncodeOptions())[28] == 24)
    }
}
