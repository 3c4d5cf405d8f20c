import HalcyonRaster
import Testing

@Suite("looking for transparency")
struct OpacityTests {
    @Test(
        "one transparent pixel is found in every place",
        arguments: [(1, 1), (15, 2), (16, 1), (17, 3), (70, 2), (1_100, 1)]
    )
    func onePixelIsFound(width: Int, height: Int) throws {
        let opaque = try Bitmap.noise(width, height, seed: 91, isOpaque: true)
        #expect(!opaque.containsTransparency())
        for index in stride(from: 0, to: width * height, by: max(1, width * height / 60)) {
            var bitmap = opaque
            let rect = PixelRect(x: index % width, y: index / width, width: 1, height: 1)
            bitmap.fill(rect, with: Color(red: 1, green: 1, blue: 1, alpha: 254.0 / 255))
            #expect(bitmap.containsTransparency(), "pixel \(index)")
        }
    }

    @Test("padding does not count")
    func paddingDoesNotCount() throws {
        var bitmap = try Bitmap(size: PixelSize(3, 3))
        bitmap.fill(PixelRect(size: bitmap.size), with: .black)
        #expect(!bitmap.containsTransparency())
    }
}
