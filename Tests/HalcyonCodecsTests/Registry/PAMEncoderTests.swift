import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Test("PAM holds straight RGBA without padding, black where transparent")
func pamPixels() throws {
    var bitmap = try Bitmap(size: PixelSize(3, 2))
    bitmap[0, 0] = [10, 20, 30, 255]
    bitmap[1, 0] = [64, 32, 0, 128]
    bitmap[2, 1] = [255, 0, 1, 255]
    let file = try PAMEncoder().encode(bitmap, options: EncodeOptions())
    let header = "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    let pixels: [UInt8] = [10, 20, 30, 255, 128, 64, 0, 128] + Array(repeating: 0, count: 12) + [255, 0, 1, 255]
    #expect(firstDifference(file, Data(header.utf8) + pixels) == nil)
}
