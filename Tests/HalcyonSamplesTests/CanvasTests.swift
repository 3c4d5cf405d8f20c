import HalcyonRaster
import Testing

@testable import HalcyonSamples

@Suite("Drawing")
struct CanvasTests {
    /// Red grows to the right, green downwards; the left half is not covered.
    private struct Ramp: Scene {
        var covers = true

        func color(at point: Point) -> RGB { RGB(point.x / 2, point.y, 0) }
        func coverage(at point: Point) -> Float { covers || point.x >= 1 ? 1 : 0 }
    }

    private func pixel(_ x: Int, _ y: Int, of bitmap: Bitmap) -> [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            (0..<4).map { bytes[y * bitmap.bytesPerRow + x * 4 + $0] }
        }
    }

    @Test("every pixel is the colour of its own place, also where bands of rows meet")
    func drawsEveryPixel() async throws {
        let size = PixelSize(200, 100)
        let bitmap = try await Canvas(size, grain: 0).draw(Ramp())
        for y in 0..<100 {
            for x in stride(from: 0, to: 200, by: 7) {
                let red = Int(((Float(x) + 0.5) / 200 * 255).rounded())
                let green = Int(((Float(y) + 0.5) / 100 * 255).rounded())
                let actual = pixel(x, y, of: bitmap)
                #expect(abs(Int(actual[0]) - red) <= 1)
                #expect(abs(Int(actual[1]) - green) <= 1)
                #expect(actual[3] == 255)
            }
        }
    }

    @Test("what a scene does not cover is transparent, and colours never exceed alpha")
    func leavesUncoveredPlacesTransparent() async throws {
        let bitmap = try await Canvas(PixelSize(201, 100)).draw(Ramp(covers: false), isOpaque: false)
        #expect(pixel(20, 50, of: bitmap) == [0, 0, 0, 0])
        #expect(pixel(150, 50, of: bitmap)[3] == 255)
        for x in 0..<201 {
            let samples = pixel(x, 60, of: bitmap)
            #expect(samples.allSatisfy { $0 <= samples[3] })
        }
    }

    @Test("a scene turned for orientation 6 is upright again after a clockwise turn")
    func turnsScenes() async throws {
        let upright = try await Canvas(PixelSize(200, 100), grain: 0).draw(Ramp())
        let turned = try await Canvas(PixelSize(100, 200), grain: 0).draw(QuarterTurn(Ramp(), aspect: 2))
        for (x, y) in [(0, 0), (199, 0), (0, 99), (199, 99), (60, 30)] {
            let stored = pixel(y, 199 - x, of: turned)
            let shown = pixel(x, y, of: upright)
            #expect(zip(stored, shown).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
    }
}
