import HalcyonRaster
import Testing

@Suite("two orientations in one")
struct OrientationCompositionTests {
    @Test("have the effect of one after the other", arguments: Orientation.allCases, Orientation.allCases)
    func composition(first: Orientation, second: Orientation) throws {
        let bitmap = try Bitmap.noise(5, 3, seed: 12)
        let steps = try bitmap.oriented(first).oriented(second)
        #expect(try bitmap.oriented(first.followed(by: second)).pixels == steps.pixels)
    }

    @Test("quarter turns add up", arguments: [-5, -4, -1, 0, 1, 2, 3, 7])
    func quarterTurns(count: Int) throws {
        var expected = try Bitmap.noise(5, 3, seed: 13)
        let turned = try expected.oriented(Orientation(quarterTurns: count))
        for _ in 0..<((count % 4 + 4) % 4) {
            expected = try expected.oriented(.right)
        }
        #expect(turned.pixels == expected.pixels)
    }

    @Test("flips exchange the sides that they name")
    func flips() throws {
        let bitmap = try Bitmap.noise(5, 3, seed: 14)
        let horizontal = try bitmap.oriented(Orientation(flipping: .horizontal))
        #expect(horizontal.pixels == bitmap.pixels.map { $0.reversed() })
        let vertical = try bitmap.oriented(Orientation(flipping: .vertical))
        #expect(vertical.pixels == bitmap.pixels.reversed())
    }
}
