import HalcyonRaster
import Testing

@Suite("a bitmap is a value")
struct BitmapValueTests {
    @Test("changing a copy leaves the original as it was")
    func copiesAreIndependent() throws {
        let original = try Bitmap.noise(9, 7, seed: 1)
        let before = original.pixels
        var copy = original
        copy.fill(PixelRect(size: copy.size), with: .white)
        #expect(original.pixels == before)
        #expect(copy.hasOpaquePixelsOnly && copy.isOpaque && !original.isOpaque)
    }

    @Test("a new bitmap is transparent black, whatever its memory held before")
    func newBitmapIsClear() throws {
        for _ in 0..<3 {
            var used = try Bitmap(size: PixelSize(200, 200))
            used.fill(PixelRect(size: used.size), with: .white)
            let size = used.size
            used = try Bitmap(size: size)
            #expect(used.pixels.allSatisfy { $0.allSatisfy { $0 == Pixel() } })
        }
    }

    @Test("rows start at multiples of 64 bytes")
    func rowsAreAligned() throws {
        for width in [1, 15, 16, 17, 33] {
            let bitmap = try Bitmap(size: PixelSize(width, 2))
            #expect(bitmap.bytesPerRow % 64 == 0 && bitmap.bytesPerRow >= width * 4)
        }
    }
}
