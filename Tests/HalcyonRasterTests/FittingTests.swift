import HalcyonRaster
import Testing

@Suite("sizes that fit or fill a box")
struct FittingTests {
    @Test(
        "fitting keeps the shape inside the box, rounded to nearest",
        arguments: [
            (PixelSize(4_000, 3_000), PixelSize(400, 400), PixelSize(400, 300)),
            (PixelSize(3_000, 4_000), PixelSize(400, 400), PixelSize(300, 400)),
            (PixelSize(100, 100), PixelSize(50, 80), PixelSize(50, 50)),
            (PixelSize(10, 20), PixelSize(100, 100), PixelSize(50, 100)),
            (PixelSize(1_000, 1), PixelSize(10, 10), PixelSize(10, 1)),
            (PixelSize(1, 1_000), PixelSize(10, 10), PixelSize(1, 10)),
            (PixelSize(3, 2), PixelSize(10, 10), PixelSize(10, 7)),
            (PixelSize(4, 2), PixelSize(5, 5), PixelSize(5, 3)),
            (PixelSize(7, 7), PixelSize(7, 7), PixelSize(7, 7)),
            (PixelSize(5, 0), PixelSize(30, 20), PixelSize(20, 20)),
            (PixelSize(0, 5), PixelSize(30, 20), PixelSize(1, 20)),
            (PixelSize(5, 5), PixelSize(0, 0), PixelSize(1, 1)),
            (PixelSize(5, 5), PixelSize(-3, 8), PixelSize(1, 1)),
        ]
    )
    func fittingKeepsTheShape(size: PixelSize, box: PixelSize, expected: PixelSize) {
        #expect(size.fitting(in: box) == expected)
    }

    @Test(
        "filling keeps the shape and covers the box, rounded to nearest",
        arguments: [
            (PixelSize(4_000, 3_000), PixelSize(400, 400), PixelSize(533, 400)),
            (PixelSize(3_000, 4_000), PixelSize(400, 400), PixelSize(400, 533)),
            (PixelSize(100, 100), PixelSize(50, 80), PixelSize(80, 80)),
            (PixelSize(10, 20), PixelSize(100, 100), PixelSize(100, 200)),
            (PixelSize(3, 2), PixelSize(10, 10), PixelSize(15, 10)),
            (PixelSize(7, 7), PixelSize(7, 7), PixelSize(7, 7)),
            (PixelSize(5, 0), PixelSize(30, 20), PixelSize(30, 30)),
        ]
    )
    func fillingCoversTheBox(size: PixelSize, box: PixelSize, expected: PixelSize) {
        #expect(size.filling(box) == expected)
    }

    @Test("one side of the result is that of the box, and the other is within half a pixel of the exact one")
    func roundingIsToNearest() {
        var random = SplitMix(seed: 51)
        for _ in 0..<2_000 {
            func side() -> Int { Int.random(in: 1...5_000, using: &random) }
            let size = PixelSize(side(), side())
            let box = PixelSize(side(), side())
            let fitted = size.fitting(in: box)
            #expect(fitted.width <= box.width && fitted.height <= box.height)
            let scale = min(Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
            #expect(abs(Double(fitted.width) - max(1, Double(size.width) * scale)) <= 0.5 + 1e-6)
            #expect(abs(Double(fitted.height) - max(1, Double(size.height) * scale)) <= 0.5 + 1e-6)
            let filled = size.filling(box)
            #expect(filled.width >= box.width && filled.height >= box.height)
            #expect(filled.width == box.width || filled.height == box.height)
        }
    }

    @Test("sides near the largest integer do not overflow")
    func hugeSidesDoNotTrap() {
        let huge = [Int.min, Int.min + 1, -1, 0, 1, Int.max - 1, Int.max]
        for width in huge {
            for height in huge {
                for other in huge {
                    let fitted = PixelSize(width, height).fitting(in: PixelSize(other, width))
                    let filled = PixelSize(width, height).filling(PixelSize(height, other))
                    #expect(fitted.width >= 1 && fitted.height >= 1 && filled.width >= 1 && filled.height >= 1)
                }
            }
        }
        #expect(PixelSize(1, Int.max).filling(PixelSize(2, 1)) == PixelSize(2, Int.max))
    }
}
