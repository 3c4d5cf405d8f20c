import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@testable import HalcyonSamples

@Suite("Orientation tag")
struct OrientationTagTests {
    @Test("a tagged JPEG is read back with its orientation", arguments: Orientation.allCases)
    func isReadBack(orientation: Orientation) throws {
        let bitmap = try Bitmap(size: PixelSize(24, 16), isOpaque: true)
        let data = try JPEGEncoder().encode(bitmap, options: EncodeOptions()).taggingJPEG(orientation: orientation)
        let info = try JPEGDecoder().info(of: data, limits: .standard)
        #expect(info.orientation == orientation)
        #expect(info.displaySize == orientation.displaySize(of: PixelSize(24, 16)))
    }
}
