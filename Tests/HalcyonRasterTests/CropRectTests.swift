import HalcyonRaster
import Testing

@Suite("anchored crop rectangles")
struct CropRectTests {
    static let base = PixelSize(100, 60)

    @Test(
        "the anchor places the rectangle, and the image's bounds limit it",
        arguments: [
            (RelativePoint.topLeft, PixelSize(40, 20), PixelRect(x: 0, y: 0, width: 40, height: 20)),
            (.topRight, PixelSize(40, 20), PixelRect(x: 60, y: 0, width: 40, height: 20)),
            (.center, PixelSize(40, 20), PixelRect(x: 30, y: 20, width: 40, height: 20)),
            (.bottomLeft, PixelSize(40, 20), PixelRect(x: 0, y: 40, width: 40, height: 20)),
            (.bottomRight, PixelSize(40, 20), PixelRect(x: 60, y: 40, width: 40, height: 20)),
            (.topLeft, PixelSize(200, 20), PixelRect(x: 0, y: 0, width: 100, height: 20)),
            (.topRight, PixelSize(200, 20), PixelRect(x: 0, y: 0, width: 100, height: 20)),
            (.center, PixelSize(200, 20), PixelRect(x: 0, y: 20, width: 100, height: 20)),
            (.bottomLeft, PixelSize(40, 90), PixelRect(x: 0, y: 0, width: 40, height: 60)),
            (.bottomRight, PixelSize(40, 90), PixelRect(x: 60, y: 0, width: 40, height: 60)),
            (.center, PixelSize(40, 90), PixelRect(x: 30, y: 0, width: 40, height: 60)),
            (.center, PixelSize(200, 90), PixelRect(x: 0, y: 0, width: 100, height: 60)),
            (.bottomRight, PixelSize(200, 90), PixelRect(x: 0, y: 0, width: 100, height: 60)),
            // An anchor outside of 0…1 counts as the nearest one inside, NaN as 0.
            (RelativePoint(-0.5, 7), PixelSize(40, 20), PixelRect(x: 0, y: 40, width: 40, height: 20)),
            (RelativePoint(.nan, .infinity), PixelSize(40, 20), PixelRect(x: 0, y: 40, width: 40, height: 20)),
            (RelativePoint(0.25, 0.5), PixelSize(33, 21), PixelRect(x: 17, y: 20, width: 33, height: 21)),
        ]
    )
    func anchorPlacesTheRectangle(anchor: RelativePoint, size: PixelSize, expected: PixelRect) {
        #expect(Self.base.cropRect(for: size, anchor: anchor) == expected)
    }

    @Test("a rectangle without pixels stays empty, and hostile sizes do not trap")
    func hostileSizesDoNotTrap() {
        for side in [Int.min, -1, 0, Int.max] {
            let rect = Self.base.cropRect(for: PixelSize(side, 10), anchor: .center)
            #expect(side == .max ? rect.size == PixelSize(100, 10) : rect.isEmpty)
        }
        #expect(PixelSize(Int.max, 1).cropRect(for: PixelSize(1, 1), anchor: .bottomRight).size.width <= 1)
    }

    @Test("intersections hold the pixels of both, wherever they lie")
    func intersections() {
        let rect = PixelRect(x: -5, y: 2, width: 10, height: 4)
        #expect(rect.intersection(PixelRect(size: PixelSize(3, 3))) == PixelRect(x: 0, y: 2, width: 3, height: 1))
        #expect(rect.intersection(PixelRect(x: 5, y: 2, width: 1, height: 1)).isEmpty)
        let all = PixelRect(x: .min, y: .min, width: .max, height: .max)
        #expect(all.intersection(all) == all)
        let end = PixelRect(x: .max - 1, y: 0, width: .max, height: 1)
        #expect(end.intersection(end).size == PixelSize(1, 1))
        #expect(rect.intersection(end).isEmpty)
    }
}
