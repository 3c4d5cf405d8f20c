import HalcyonRaster
import Testing

@Suite("drawing into bitmaps of 16 bits a sample")
struct WideDrawingTests {
    @Test("source over is exact to the last bit")
    func sourceOver() throws {
        var below = try Bitmap.wideNoise(61, 7, seed: 10)
        let above = try Bitmap.wideNoise(61, 7, seed: 11)
        let expected = zip(above.widePixels.joined(), below.widePixels.joined()).map { above, below in
            let rest = 65_535 - Double(above.w)
            func over(_ a: UInt16, _ b: UInt16) -> UInt16 {
                UInt16(min(65_535, Double(a) + (Double(b) * rest / 65_535).rounded()))
            }
            return WidePixel(
                over(above.x, below.x),
                over(above.y, below.y),
                over(above.z, below.z),
                over(above.w, below.w)
            )
        }
        below.draw(above)
        #expect(Array(below.widePixels.joined()) == expected)
    }

    @Test("a source of another depth is converted", arguments: [true, false])
    func otherDepth(isOpaque: Bool) throws {
        let narrow = try Bitmap.noise(20, 9, seed: 12, isOpaque: isOpaque)
        let wide = try narrow.converted(to: .sixteen)
        let place = PixelPoint(-3, 2)

        var first = try Bitmap.wideNoise(31, 8, seed: 13)
        var second = first
        first.draw(narrow, at: place)
        second.draw(wide, at: place)
        #expect(first.widePixels == second.widePixels)

        var third = try Bitmap.noise(31, 8, seed: 14)
        var fourth = third
        third.draw(narrow, at: place)
        fourth.draw(wide, at: place)
        #expect(third.pixels == fourth.pixels)
    }

    @Test("a colour is filled in with 16 bits")
    func filling() throws {
        var bitmap = try Bitmap(size: PixelSize(11, 5), depth: .sixteen)
        bitmap.fill(PixelRect(size: bitmap.size), with: .white)
        #expect(bitmap.isOpaque)
        let color = Color(red: 1, green: 0.5, blue: 0.001, alpha: 0.25)
        bitmap.fill(PixelRect(x: 2, y: 1, width: 3, height: 2), with: color)
        #expect(!bitmap.isOpaque)
        #expect(bitmap.widePixels[2][4] == WidePixel(16_384, 8_192, 16, 16_384))
        #expect(bitmap.widePixels[2][5] == WidePixel(repeating: 65_535))
    }

    @Test("an alpha that is opaque with 8 bits only does not count as opaque with 16")
    func nearlyOpaque() throws {
        let color = Color(white: 1, alpha: 0.9999)
        var (narrow, wide) = (try Bitmap(size: PixelSize(2, 2)), try Bitmap(size: PixelSize(2, 2), depth: .sixteen))
        narrow.fill(PixelRect(size: narrow.size), with: color)
        wide.fill(PixelRect(size: wide.size), with: color)
        #expect(narrow.isOpaque)
        #expect(!wide.isOpaque)
    }

    @Test("rounded corners cover as they do with 8 bits, more finely", arguments: [nil, Color.white])
    func roundedCorners(background: Color?) throws {
        let bitmap = try Bitmap.noise(33, 21, seed: 15, isOpaque: true)
        let radii = CornerRadii(topLeft: 9, topRight: 4.5, bottomLeft: 1, bottomRight: 12)
        let narrow = try bitmap.roundingCorners(radii, background: background)
        let wide = try bitmap.converted(to: .sixteen).roundingCorners(radii, background: background)
        #expect(wide.depth == .sixteen)
        #expect(wide.isOpaque == narrow.isOpaque)
        let differences = zip(wide.samples, narrow.samples).map { abs($0 / 257 - $1) }
        #expect((differences.max() ?? .infinity) <= 1.5)
        #expect(try wide.converted(to: .eight).isPremultiplied)
    }
}
