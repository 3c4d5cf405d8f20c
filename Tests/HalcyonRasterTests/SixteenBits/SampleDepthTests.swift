import HalcyonRaster
import Testing

@Suite("bitmaps of 16 bits a sample")
struct SampleDepthTests {
    @Test("a pixel takes 8 bytes, and rows begin at multiples of 64", arguments: [1, 7, 8, 9, 100])
    func rowsAreAligned(width: Int) throws {
        let bitmap = try Bitmap(size: PixelSize(width, 3), depth: .sixteen)
        #expect(bitmap.depth == .sixteen)
        #expect(bitmap.bytesPerPixel == 8)
        #expect(bitmap.bytesPerRow % 64 == 0)
        #expect(bitmap.bytesPerRow >= width * 8 && bitmap.bytesPerRow < width * 8 + 64)
        #expect(bitmap.byteCount == bitmap.bytesPerRow * 3)
        #expect(bitmap.widePixels.joined().allSatisfy { $0 == .zero })
    }

    @Test("a bitmap has 8 bits unless 16 are asked for")
    func defaultDepth() throws {
        #expect(try Bitmap(size: PixelSize(1, 1)).depth == .eight)
    }

    @Test("every sample of 8 bits survives the way to 16 bits and back")
    func wideningLosesNothing() throws {
        let bitmap = try Bitmap(256, 3) { x, y in Pixel(UInt8(y == 0 ? x : 0), UInt8(x / 2), UInt8(x / 3), UInt8(x)) }
        let wide = try bitmap.converted(to: .sixteen)
        #expect(wide.widePixels == bitmap.pixels.map { $0.map { WidePixel(truncatingIfNeeded: $0) &* 257 } })
        #expect(try wide.converted(to: .eight).pixels == bitmap.pixels)
        #expect(wide.isOpaque == bitmap.isOpaque)
    }

    @Test("every sample of 16 bits is rounded to the nearest of 8")
    func narrowingRounds() throws {
        let wide = try Bitmap(wide: 4_096, 4) { x, y in
            let first = UInt16(y * 16_384 + x * 4)
            return WidePixel(first, first + 1, first + 2, first + 3)
        }
        let expected = wide.samples.map { ($0 / 257).rounded() }
        #expect(try wide.converted(to: .eight).samples == expected)
    }

    @Test("the depth a bitmap has costs nothing", arguments: SampleDepth.allCases)
    func sameDepthIsTheSameBitmap(depth: SampleDepth) throws {
        let bitmap = try Bitmap(size: PixelSize(5, 5), depth: depth)
        #expect(try bitmap.converted(to: depth).buffer === bitmap.buffer)
    }

    @Test("copies are independent once one is written to")
    func copiesAreValues() throws {
        let original = try Bitmap.wideNoise(9, 4, seed: 1)
        let before = original.widePixels
        var copy = original
        copy.fill(PixelRect(size: copy.size), with: .white)
        #expect(original.widePixels == before)
        #expect(copy.widePixels.joined().allSatisfy { $0 == WidePixel(repeating: 65_535) })
    }
}
