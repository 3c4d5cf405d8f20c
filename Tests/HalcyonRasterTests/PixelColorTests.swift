import HalcyonRaster
import Testing

@Suite("the colours of pixels")
struct PixelColorTests {
    /// Three columns and two rows: opaque, half transparent and transparent pixels, and one above its alpha.
    private static func bitmap() throws -> Bitmap {
        let pixels: [[Pixel]] = [
            [Pixel(255, 0, 51, 255), Pixel(102, 51, 0, 102), Pixel(0, 0, 0, 0)],
            [Pixel(0, 255, 0, 255), Pixel(200, 0, 0, 100), Pixel(0, 0, 255, 255)],
        ]
        return try Bitmap(3, 2) { pixels[$1][$0] }
    }

    private static func isClose(_ left: Color?, _ right: Color) -> Bool {
        guard let left else { return false }
        return zip(
            [left.red, left.green, left.blue, left.alpha],
            [right.red, right.green, right.blue, right.alpha]
        ).allSatisfy { abs($0 - $1) < 1e-4 }
    }

    @Test("is that of the pixel, not multiplied by alpha", arguments: SampleDepth.allCases)
    func color(depth: SampleDepth) throws {
        let bitmap = try Self.bitmap().converted(to: depth)
        #expect(Self.isClose(bitmap.color(at: .zero), Color(red: 1, green: 0, blue: 0.2)))
        #expect(Self.isClose(bitmap.color(at: PixelPoint(1, 0)), Color(red: 1, green: 0.5, blue: 0, alpha: 0.4)))
        #expect(bitmap.color(at: PixelPoint(2, 0)) == .clear)
        #expect(Self.isClose(bitmap.color(at: PixelPoint(2, 1)), Color(red: 0, green: 0, blue: 1)))
        // A colour above its alpha, which only a mistake of its owner makes, is limited.
        let limited = Color(red: 1, green: 0, blue: 0, alpha: 100 / 255)
        #expect(Self.isClose(try Self.bitmap().color(at: PixelPoint(1, 1)), limited))
        for (x, y) in [(3, 0), (0, 2), (-1, 0), (0, -1), (.max, .min)] {
            #expect(bitmap.color(at: PixelPoint(x, y)) == nil)
        }
    }

    @Test("of a rectangle are those of its rows, as far as it lies inside the image")
    func rectangle() throws {
        let bitmap = try Self.bitmap()
        let colors = bitmap.colors(in: PixelRect(x: 1, y: -5, width: .max, height: 7))
        let positions = [(1, 0), (2, 0), (1, 1), (2, 1)].map { PixelPoint($0.0, $0.1) }
        #expect(colors == positions.compactMap { bitmap.color(at: $0) } && colors.count == 4)
        #expect(bitmap.colors(in: PixelRect(x: 3, y: 0, width: 1, height: 1)).isEmpty)
        #expect(bitmap.colors(in: PixelRect(size: PixelSize(0, 9))).isEmpty)
    }
}
