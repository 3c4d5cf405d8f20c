import HalcyonRaster
import Testing

@Suite("cropping")
struct CroppingTests {
    @Test("the result holds the pixels inside the rectangle")
    func resultHoldsThePixelsInside() throws {
        let bitmap = try Bitmap.noise(23, 17, seed: 61, isOpaque: true)
        let result = try bitmap.cropped(to: PixelRect(x: 3, y: 5, width: 11, height: 7))
        #expect(result.size == PixelSize(11, 7))
        #expect(result.isOpaque)
        #expect(result.pixels == bitmap.pixels[5..<12].map { Array($0[3..<14]) })
    }

    @Test("what lies outside is cut off")
    func outsideIsCutOff() throws {
        let bitmap = try Bitmap.noise(8, 6, seed: 62)
        let result = try bitmap.cropped(to: PixelRect(x: -2, y: 4, width: 5, height: 50))
        #expect(result.pixels == bitmap.pixels[4..<6].map { Array($0[0..<3]) })
        #expect(try bitmap.cropped(to: PixelRect(x: -1, y: -1, width: .max, height: .max)).pixels == bitmap.pixels)
    }

    @Test("a rectangle with nothing inside is refused")
    func nothingInsideIsRefused() throws {
        let bitmap = try Bitmap.noise(8, 6, seed: 63)
        for rect in [
            PixelRect(x: 8, y: 0, width: 1, height: 1), PixelRect(x: 0, y: 0, width: 0, height: 5),
            PixelRect(x: .max, y: .min, width: .max, height: .max),
        ] {
            #expect(throws: BitmapError.invalidSize(PixelSize(0, 0))) { try bitmap.cropped(to: rect) }
        }
    }
}
