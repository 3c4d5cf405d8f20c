import HalcyonRaster
import Testing

@Suite("A size in points")
struct PointSizeTests {
    @Test("becomes pixels by the scale, rounded to nearest")
    func pixels() {
        #expect(PointSize(10, 7.5).pixels(atScale: 2) == PixelSize(20, 15))
        #expect(PointSize(10.2, 10.3).pixels(atScale: 1.5) == PixelSize(15, 15))
        #expect(PointSize(10.2, 10.4).pixels(atScale: 1.5) == PixelSize(15, 16))
    }

    @Test("is that of pixels divided by the scale")
    func points() {
        #expect(PointSize(PixelSize(40, 30), scale: 2) == PointSize(20, 15))
        #expect(PointSize(PixelSize(40, 30), scale: 2).pixels(atScale: 2) == PixelSize(40, 30))
    }

    @Test("has no pixel where a side is no length, and no more than can be counted")
    func extremes() {
        #expect(PointSize(-1, .nan).pixels(atScale: 2) == PixelSize(0, 0))
        #expect(PointSize(.infinity, 1e300).pixels(atScale: 2) == PixelSize(.max, .max))
    }

    @Test("with a side that is no number is one without that side")
    func notANumber() {
        #expect(PointSize(.nan, 5) == PointSize(0, 5))
        #expect(Set([PointSize(.nan, 5), PointSize(-.nan, 5), PointSize(0, 5)]).count == 1)
        #expect(PointSize(.infinity, 5) == PointSize(.infinity, 5))
    }
}
