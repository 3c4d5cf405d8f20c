import HalcyonRaster
import Testing

@Suite("drawing")
struct DrawingTests {
    /// Source over destination by definition, rounded to nearest.
    static func over(_ source: Pixel, _ below: Pixel) -> Pixel {
        var result = Pixel()
        for channel in 0..<4 {
            let rest = (Double(below[channel]) * Double(255 - source.w) / 255).rounded()
            result[channel] = source[channel] + UInt8(rest)
        }
        return result
    }

    @Test(
        "an image is put over another and clipped at its edges",
        arguments: [
            PixelPoint(0, 0), PixelPoint(3, 2), PixelPoint(-4, -3), PixelPoint(15, 9), PixelPoint(-30, 0),
            PixelPoint(20, 20),
            PixelPoint(.max, .min), PixelPoint(.min, .max),
        ]
    )
    func imageIsPutOver(point: PixelPoint) throws {
        let source = try Bitmap.noise(11, 9, seed: 101)
        let before = try Bitmap.noise(20, 13, seed: 102)
        var after = before
        after.draw(source, at: point)
        for y in 0..<13 {
            for x in 0..<20 {
                let (u, columnOverflows) = x.subtractingReportingOverflow(point.x)
                let (v, rowOverflows) = y.subtractingReportingOverflow(point.y)
                let isInside = !columnOverflows && !rowOverflows && (0..<11).contains(u) && (0..<9).contains(v)
                let expected = isInside ? Self.over(source.pixel(u, v), before.pixel(x, y)) : before.pixel(x, y)
                #expect(after.pixel(x, y) == expected)
            }
        }
        #expect(after.isPremultiplied)
    }

    @Test("every alpha over every value is rounded to nearest")
    func everyPairIsExact() throws {
        let source = try Bitmap(256, 256) { x, _ in Pixel(UInt8(x / 2), UInt8(x), 0, UInt8(x)) }
        var below = try Bitmap(256, 256) { _, y in Pixel(UInt8(y), 0, UInt8(y / 2), UInt8(y)) }
        let before = below.pixels
        below.draw(source)
        let expected = (0..<256).map { y in (0..<256).map { x in Self.over(source.pixel(x, y), before[y][x]) } }
        #expect(below.pixels == expected)
    }

    @Test("an opaque image replaces what is below, and makes opaque what it covers whole")
    func opaqueImageReplaces() throws {
        let source = try Bitmap.noise(6, 5, seed: 103, isOpaque: true)
        var target = try Bitmap(size: PixelSize(6, 5))
        target.draw(source, at: PixelPoint(1, 0))
        #expect(!target.isOpaque)
        target.draw(source)
        #expect(target.isOpaque && target.pixels == source.pixels)
        target.draw(try Bitmap.noise(6, 5, seed: 104))
        #expect(target.isOpaque && target.hasOpaquePixelsOnly)
    }

    @Test("an image can be drawn onto itself")
    func imageOntoItself() throws {
        let before = try Bitmap.noise(9, 8, seed: 105, isOpaque: true)
        var bitmap = before
        bitmap.draw(bitmap, at: PixelPoint(2, 1))
        #expect(bitmap.pixel(0, 0) == before.pixel(0, 0))
        #expect(bitmap.pixel(8, 7) == before.pixel(6, 6))
    }

    @Test("filling replaces the pixels of the rectangle and no others")
    func fillingReplaces() throws {
        let before = try Bitmap.noise(40, 6, seed: 106, isOpaque: true)
        var bitmap = before
        bitmap.fill(PixelRect(x: 3, y: -2, width: 21, height: 5), with: Color(red: 1, green: 0.5, blue: 0, alpha: 0.5))
        for y in 0..<6 {
            for x in 0..<40 {
                let isInside = (3..<24).contains(x) && y < 3
                #expect(bitmap.pixel(x, y) == (isInside ? Pixel(128, 64, 0, 128) : before.pixel(x, y)))
            }
        }
        #expect(!bitmap.isOpaque)
        bitmap.fill(PixelRect(x: .min, y: 0, width: 5, height: 5), with: .clear)
        bitmap.fill(PixelRect(size: bitmap.size), with: .white)
        #expect(bitmap.isOpaque && bitmap.pixels.allSatisfy { $0.allSatisfy { $0 == Pixel(repeating: 255) } })
    }

    @Test("components outside of 0…1 are limited")
    func componentsAreLimited() throws {
        var bitmap = try Bitmap(size: PixelSize(1, 1))
        bitmap.fill(PixelRect(size: bitmap.size), with: Color(red: 7, green: -1, blue: .nan, alpha: .infinity))
        #expect(bitmap.pixel(0, 0) == Pixel(255, 0, 0, 255))
    }
}
