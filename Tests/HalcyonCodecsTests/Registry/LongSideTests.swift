import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Sides longer than 65,535 pixels")
struct LongSideTests {
    @Test(
        "are read within the limit of pixels",
        arguments: [ImageFormat.png, .bmp, .qoi],
        [PixelSize(70_001, 3), PixelSize(3, 70_001)]
    )
    func read(_ format: ImageFormat, size: PixelSize) throws {
        let bitmap = try TestImages.photo(size.width, size.height)
        let data = try ImageCodecs.all.encode(bitmap, as: format)
        #expect(try ImageCodecs.all.info(of: data).size == size)
        let image = try ImageCodecs.all.decode(data)
        #expect(image.bitmap.greatestDifference(from: bitmap) == 0)
    }

    @Test("are drawn by a GIF whose first frame lies behind the screen")
    func canvas() throws {
        let file = GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.image(65_535, 0, 2, 1, [1, 2]))
        let bitmap = try ImageCodecs.all.decode(file).bitmap
        #expect(bitmap.size == PixelSize(65_537, 1))
        #expect(bitmap[0, 0] == [0, 0, 0, 0] && bitmap[65_535, 0] != bitmap[65_536, 0])
    }
}
