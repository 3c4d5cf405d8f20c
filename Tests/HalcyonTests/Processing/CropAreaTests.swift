import Testing

@testable import Halcyon

@Suite("Areas to crop, in parts of sides and in points")
struct CropAreaTests {
    @Test("round each edge to the nearest pixel, so that neighbours neither overlap nor leave a gap")
    func neighbours() {
        let size = PixelSize(101, 7)
        var columns = 0
        for third in 0..<3 {
            let rect = CropArea.relative(x: Double(third) / 3, y: 0, width: 1 / 3.0, height: 1).pixels(in: size)
            #expect(rect.origin.x == columns && rect.size.height == 7)
            columns += rect.size.width
        }
        #expect(columns == 101)
    }

    @Test("become pixels by the scale")
    func points() {
        let area = CropArea.points(x: 1, y: 2.2, width: 10, height: 0.2)
        #expect(area.inPixels(atScale: 1) == .pixels(x: 1, y: 2, width: 10, height: 0))
        #expect(area.inPixels(atScale: 2.5) == .pixels(x: 3, y: 6, width: 25, height: 0))
        #expect(area.inPixels(atScale: 10) == .pixels(x: 10, y: 22, width: 100, height: 2))
    }

    @Test("that no image has are empty or far away", arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func hostile(number: Double) {
        for area in [
            CropArea.relative(x: number, y: 0, width: 1, height: 1), .relative(x: 0, y: 0, width: number, height: 1),
            .relative(x: number, y: number, width: number, height: number),
        ] {
            let part = area.pixels(in: PixelSize(10, 10))
            #expect(part.isEmpty || part.size == PixelSize(10, 10))
        }
    }

    @Test("with a number that is none are those with 0 in its place")
    func notANumber() {
        let area = CropArea.points(x: .nan, y: 2, width: 4, height: .nan)
        let zero = CropArea.points(x: 0, y: 2, width: 4, height: 0)
        #expect(area == zero && Set([area, zero]).count == 1)
        #expect(area.inPixels(atScale: 2) == zero.inPixels(atScale: 2))
        let relative = CropArea.relative(x: -.nan, y: 0, width: 1, height: 1)
        #expect(relative == .relative(x: 0, y: 0, width: 1, height: 1))
        #expect(relative != .points(x: 0, y: 0, width: 1, height: 1))
        #expect(relative.pixels(in: PixelSize(8, 6)) == PixelRect(size: PixelSize(8, 6)))
        let chains = [area, zero].map { ImageProcessorChain.crop(to: $0) }
        #expect(chains[0] == chains[1])
    }
}
