import Glibc
import HalcyonRaster
import Testing

@Suite("rounding corners")
struct RoundedCornersTests {
    static func white(_ width: Int, _ height: Int) throws -> Bitmap {
        try Bitmap(width, height, isOpaque: true) { _, _ in Pixel(repeating: 255) }
    }

    /// Returns the share of a pixel that lies inside the rounded rectangle, from 64 × 64 samples.
    static func sampledCoverage(_ x: Int, _ y: Int, in size: PixelSize, _ radii: CornerRadii) -> Double {
        var inside = 0
        for v in 0..<64 {
            for u in 0..<64 {
                let px = Double(x) + (Double(u) + 0.5) / 64
                let py = Double(y) + (Double(v) + 0.5) / 64
                let (fromRight, fromBottom) = (Double(size.width) - px, Double(size.height) - py)
                func isCut(_ radius: Double, _ a: Double, _ b: Double) -> Bool {
                    a < radius && b < radius && hypot(radius - a, radius - b) > radius
                }
                let isOutside =
                    isCut(radii.topLeft, px, py) || isCut(radii.topRight, fromRight, py)
                    || isCut(radii.bottomLeft, px, fromBottom) || isCut(radii.bottomRight, fromRight, fromBottom)
                inside += isOutside ? 0 : 1
            }
        }
        return Double(inside) / 4_096
    }

    @Test(
        "each pixel is covered by the part inside of the arc",
        arguments: [
            (PixelSize(21, 18), CornerRadii(6)),
            (PixelSize(20, 20), CornerRadii(10)),
            (PixelSize(15, 15), CornerRadii(7.5)),
            (PixelSize(15, 9), CornerRadii(4.5)),
            (PixelSize(18, 16), CornerRadii(topLeft: 0.4, topRight: 1.5, bottomLeft: 7.25, bottomRight: 3)),
            (PixelSize(5, 1), CornerRadii(0.5)),
            (PixelSize(3, 3), CornerRadii(1.5)),
            (PixelSize(1, 1), CornerRadii(0.5)),
        ]
    )
    func coverageIsExact(size: PixelSize, radii: CornerRadii) throws {
        let result = try Self.white(size.width, size.height).roundingCorners(radii)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let alpha = Double(result.pixel(x, y).w) / 255
                let expected = Self.sampledCoverage(x, y, in: size, radii)
                // Half a level of rounding, and what sampling misses along an arc.
                #expect(abs(alpha - expected) < 0.002 + 0.01, "\(x), \(y): \(alpha), not \(expected)")
            }
        }
        #expect(!result.isOpaque)
        #expect(result.isPremultiplied)
    }

    @Test("a disc has the area of a disc", arguments: [3.0, 10, 33.5, 100])
    func discHasItsArea(radius: Double) throws {
        let side = Int(radius * 2)
        let result = try Self.white(side, side).roundingCorners(radius: radius)
        let area = result.pixels.joined().reduce(0) { $0 + Double($1.w) / 255 }
        // Each pixel of the edge is rounded to a 255th on its own.
        #expect(abs(area - .pi * radius * radius) < 0.02 * radius)
    }

    @Test("equal corners are mirror images of each other to the last bit", arguments: [0.3, 1.0, 4.7, 9.5, 40])
    func cornersAreSymmetric(radius: Double) throws {
        let result = try Self.white(23, 23).roundingCorners(radius: radius)
        for orientation in Orientation.allCases {
            #expect(try result.oriented(orientation).pixels == result.pixels, "\(orientation)")
        }
    }

    @Test(
        "only the corners asked for are rounded",
        arguments: [
            Corners.topLeft, .topRight, .bottomLeft, .bottomRight, .top, .right, .all, [],
        ]
    )
    func onlyChosenCornersAreRounded(corners: Corners) throws {
        let result = try Self.white(20, 16).roundingCorners(radius: 5, corners: corners)
        #expect((result.pixel(0, 0).w == 0) == corners.contains(.topLeft))
        #expect((result.pixel(19, 0).w == 0) == corners.contains(.topRight))
        #expect((result.pixel(0, 15).w == 0) == corners.contains(.bottomLeft))
        #expect((result.pixel(19, 15).w == 0) == corners.contains(.bottomRight))
        #expect(result.pixel(10, 8) == Pixel(repeating: 255))
        #expect(result.isOpaque == corners.isEmpty)
    }

    @Test("radii that do not fit shrink together", arguments: [100, 1e300, Double.infinity])
    func radiiAreFitted(radius: Double) throws {
        let size = PixelSize(30, 12)
        #expect(CornerRadii(radius).fitted(to: size) == CornerRadii(6))
        #expect(CornerRadii(radius, corners: .left).fitted(to: size) == CornerRadii(6, corners: .left))
        #expect(CornerRadii(radius, corners: .topLeft).fitted(to: size) == CornerRadii(12, corners: .topLeft))
        #expect(
            CornerRadii(topLeft: 20, topRight: 40).fitted(to: PixelSize(30, 90))
                == CornerRadii(topLeft: 10, topRight: 20)
        )
        let pill = try Self.white(30, 12).roundingCorners(radius: radius)
        #expect(pill.pixels == (try Self.white(30, 12).roundingCorners(radius: 6)).pixels)
    }

    @Test("a radius of nothing changes nothing", arguments: [0, -3, Double.nan, -Double.infinity])
    func noRadiusChangesNothing(radius: Double) throws {
        let bitmap = try Bitmap.noise(9, 9, seed: 111, isOpaque: true)
        let result = try bitmap.roundingCorners(radius: radius)
        #expect(result.isOpaque && result.pixels == bitmap.pixels)
        #expect(try bitmap.roundingCorners(radius: radius, background: .clear).pixels == bitmap.pixels)
    }

    @Test("pixels inside stay as they are, those on the arc keep their colour")
    func pixelsInsideStay() throws {
        let bitmap = try Bitmap.noise(24, 20, seed: 112)
        let mask = try Self.white(24, 20).roundingCorners(radius: 8)
        let result = try bitmap.roundingCorners(radius: 8)
        for y in 0..<20 {
            for x in 0..<24 {
                let coverage = Double(mask.pixel(x, y).w) / 255
                let source = bitmap.pixel(x, y)
                // The mask is rounded to whole levels, half a level at most, and so is the result.
                let difference = SIMD4<Double>(source) * coverage - SIMD4<Double>(result.pixel(x, y))
                #expect(max(difference.max(), -difference.min()) <= 1)
                #expect(coverage < 1 || result.pixel(x, y) == source)
            }
        }
    }

    @Test("a background shows in the corners and through the image, and an opaque one makes the result opaque")
    func backgroundShowsThrough() throws {
        let blue = Color(red: 0, green: 0, blue: 1)
        let bitmap = try Bitmap.noise(24, 20, seed: 113)
        let result = try bitmap.roundingCorners(radius: 8, background: blue)
        var expected = try Bitmap(size: bitmap.size)
        expected.fill(PixelRect(size: bitmap.size), with: blue)
        expected.draw(try bitmap.roundingCorners(radius: 8))
        // Drawn in two steps, each of which rounds.
        #expect(zip(result.samples, expected.samples).allSatisfy { abs($0 - $1) <= 1 })
        #expect(result.isOpaque && result.hasOpaquePixelsOnly)
        #expect(result.pixel(0, 0) == Pixel(0, 0, 255, 255))
        #expect(try bitmap.roundingCorners(radius: 0, background: blue).isOpaque)
        #expect(try !bitmap.roundingCorners(radius: 8, background: Color(white: 1, alpha: 0.5)).isOpaque)
    }
}
