import HalcyonRaster
import Testing

/// Whatever only moves pixels does the same to those of 16 bits as to those of 8.
@Suite("pixels of 16 bits a sample are moved as those of 8")
struct WideGeometryTests {
    static let sizes = [PixelSize(1, 1), PixelSize(3, 5), PixelSize(8, 8), PixelSize(17, 9), PixelSize(40, 33)]

    @Test("orientations", arguments: Orientation.allCases, sizes)
    func orientation(_ orientation: Orientation, of size: PixelSize) throws {
        let bitmap = try Bitmap.noise(size.width, size.height, seed: 3)
        let wide = try bitmap.converted(to: .sixteen).oriented(orientation)
        #expect(wide.depth == .sixteen)
        #expect(try wide.converted(to: .eight).pixels == bitmap.oriented(orientation).pixels)
    }

    @Test("cropping")
    func cropping() throws {
        let wide = try Bitmap.wideNoise(23, 11, seed: 4)
        let cropped = try wide.cropped(to: PixelRect(x: 5, y: 2, width: 30, height: 4))
        #expect(cropped.depth == .sixteen)
        #expect(cropped.widePixels == wide.widePixels[2..<6].map { Array($0[5...]) })
    }

    @Test("the nearest pixel")
    func nearest() throws {
        let bitmap = try Bitmap.noise(19, 13, seed: 5)
        for size in [PixelSize(7, 5), PixelSize(31, 40)] {
            let wide = try bitmap.converted(to: .sixteen).resampled(to: size, filter: .nearest)
            #expect(try wide.converted(to: .eight).pixels == bitmap.resampled(to: size, filter: .nearest).pixels)
        }
    }

    @Test("one pixel below the largest alpha is found", arguments: [0, 511, 512, 599])
    func transparencyIsFound(place: Int) throws {
        let opaque = try Bitmap.wideNoise(600, 2, seed: 6, isOpaque: true)
        #expect(!opaque.containsTransparency())
        let bitmap = try Bitmap(wide: 600, 2) { x, y in
            WidePixel(0, 0, 0, x == place && y == 1 ? 65_534 : 65_535)
        }
        #expect(bitmap.containsTransparency())
    }
}
