import HalcyonRaster
import Testing

@Suite("conversions between straight and premultiplied pixels")
struct ConversionTests {
    /// Row a, column c: colour c (and its complement, and 0) with alpha a.
    static func everyPair() -> [UInt8] {
        var samples: [UInt8] = []
        for alpha in UInt8.min...UInt8.max {
            for colour in UInt8.min...UInt8.max { samples += [colour, 255 - colour, 0, alpha] }
        }
        return samples
    }

    @Test("products are rounded to nearest, for every colour and alpha")
    func productsAreExact() throws {
        let bitmap = try Self.everyPair().withUnsafeBytes {
            try Bitmap(premultiplying: $0, size: PixelSize(256, 256))
        }
        for (alpha, row) in bitmap.pixels.enumerated() {
            for (colour, pixel) in row.enumerated() {
                let product = UInt8((Double(colour * alpha) / 255).rounded())
                let complement = UInt8((Double((255 - colour) * alpha) / 255).rounded())
                let expected = Pixel(product, complement, 0, UInt8(alpha))
                if pixel != expected { Issue.record("\(colour) with alpha \(alpha) became \(pixel)") }
            }
        }
        #expect(!bitmap.isOpaque)
    }

    @Test("quotients are rounded to nearest, for every premultiplied colour and alpha")
    func quotientsAreExact() throws {
        let bitmap = try Bitmap(256, 256) { colour, alpha in
            Pixel(UInt8(min(colour, alpha)), UInt8(alpha), 0, UInt8(alpha))
        }
        let straight = bitmap.straightRGBA()
        for alpha in 0..<256 {
            for column in 0..<256 {
                let pixel = Array(straight[((alpha * 256 + column) * 4)..<((alpha * 256 + column) * 4 + 4)])
                let colour = min(column, alpha)
                var expected: [UInt8] = [0, 0, 0, 0]
                if alpha > 0 {
                    let quotient = UInt8((Double(colour * 255) / Double(alpha)).rounded())
                    expected = [quotient, 255, 0, UInt8(alpha)]
                }
                if pixel != expected { Issue.record("\(colour) of alpha \(alpha) became \(pixel)") }
            }
        }
    }

    @Test("there and back changes nothing that survives 8 bits")
    func roundTripIsStable() throws {
        let every = Self.everyPair()
        let bitmap = try every.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(256, 256)) }
        let straight = bitmap.straightRGBA()
        // A step of the premultiplied colour is 255 / alpha straight levels; half of that is lost at most, and rounded.
        for index in 0..<(256 * 256) {
            let alpha = Int(every[index * 4 + 3])
            guard alpha > 0 else { continue }
            let difference = abs(Int(every[index * 4]) - Int(straight[index * 4]))
            if Double(difference) > 127.5 / Double(alpha) + 0.5 || (alpha == 255 && difference != 0) {
                Issue.record("\(every[index * 4]) with alpha \(alpha) came back as \(straight[index * 4])")
            }
        }
        let again = try straight.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(256, 256)) }
        #expect(again.pixels == bitmap.pixels)
    }

    @Test("colours above their alpha, which no bitmap should hold, come out limited", arguments: [1, 2, 100, 254])
    func invalidPixelsAreLimited(alpha: UInt8) throws {
        let bitmap = try Bitmap(1, 1) { _, _ in Pixel(255, 255, alpha, alpha) }
        #expect(bitmap.straightRGBA() == [255, 255, 255, alpha])
    }

    @Test("opaque input is recognised and kept to the bit, for widths around that of a vector", arguments: 1...9)
    func opaqueInputIsExact(width: Int) throws {
        var random = SplitMix(seed: UInt64(width))
        let rgb = (0..<width * 3 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let rgba: [UInt8] = (0..<width * 3).flatMap { (index: Int) -> [UInt8] in
            [rgb[index * 3], rgb[index * 3 + 1], rgb[index * 3 + 2], 255]
        }
        let size = PixelSize(width, 3)
        let fromRGB = try rgb.withUnsafeBytes { try Bitmap(rgb: $0, size: size) }
        let fromRGBA = try rgba.withUnsafeBytes { try Bitmap(premultiplying: $0, size: size) }
        #expect(fromRGB.isOpaque && fromRGBA.isOpaque)
        #expect(fromRGB.straightRGBA() == rgba && fromRGBA.straightRGBA() == rgba)

        let gray = Array(rgb[0..<width * 3])
        let fromGray = try gray.withUnsafeBytes { try Bitmap(gray: $0, size: size) }
        #expect(fromGray.isOpaque)
        #expect(
            fromGray.straightRGBA() == gray.flatMap { (sample: UInt8) -> [UInt8] in [sample, sample, sample, 255] }
        )
        let grayAlpha: [UInt8] = gray.flatMap { (sample: UInt8) -> [UInt8] in [sample, 255] }
        let fromGrayAlpha = try grayAlpha.withUnsafeBytes { try Bitmap(grayAlpha: $0, size: size) }
        #expect(fromGrayAlpha.isOpaque && fromGrayAlpha.pixels == fromGray.pixels)
    }

    @Test("brightness with alpha is the same as three equal colours with it")
    func grayAlphaIsPremultiplied() throws {
        var random = SplitMix(seed: 81)
        let grays = (0..<35 * 2).map { _ in UInt8.random(in: 0...255, using: &random) }
        let rgba: [UInt8] = (0..<35).flatMap { (index: Int) -> [UInt8] in
            let gray = grays[index * 2]
            return [gray, gray, gray, grays[index * 2 + 1]]
        }
        let first = try grays.withUnsafeBytes { try Bitmap(grayAlpha: $0, size: PixelSize(7, 5)) }
        let second = try rgba.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(7, 5)) }
        #expect(first.pixels == second.pixels)
        #expect(!first.isOpaque && !second.isOpaque)
    }

    @Test("one pixel that is not opaque is noticed wherever it stands", arguments: 0..<10)
    func oneTransparentPixelIsNoticed(index: Int) throws {
        var rgba = [UInt8](repeating: 255, count: 40)
        rgba[index * 4 + 3] = 254
        let bitmap = try rgba.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(5, 2)) }
        #expect(!bitmap.isOpaque)
        var grays = [UInt8](repeating: 255, count: 20)
        grays[index * 2 + 1] = 254
        let gray = try grays.withUnsafeBytes { try Bitmap(grayAlpha: $0, size: PixelSize(5, 2)) }
        #expect(!gray.isOpaque)
    }

    @Test("rows may be padded, and the last one may end with its last pixel")
    func rowsMayBePadded() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12]
        let bitmap = try bytes.withUnsafeBytes { try Bitmap(rgb: $0, size: PixelSize(2, 2), bytesPerRow: 8) }
        #expect(bitmap.straightRGBA() == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255])
    }

    @Test("too few bytes are refused before anything is read")
    func tooFewBytesAreRefused() {
        let bytes = [UInt8](repeating: 0, count: 15)
        bytes.withUnsafeBytes { rows in
            #expect(throws: BitmapError.tooFewBytes(expected: 16, actual: 15)) {
                try Bitmap(premultiplying: rows, size: PixelSize(2, 2))
            }
            #expect(throws: BitmapError.tooFewBytes(expected: 16, actual: 15)) {
                try Bitmap(gray: rows, size: PixelSize(2, 2), bytesPerRow: 14)
            }
            for bytesPerRow in [-8, 0, 1, Int.max] {
                #expect(throws: BitmapError.self) {
                    try Bitmap(rgb: rows, size: PixelSize(2, 2), bytesPerRow: bytesPerRow)
                }
            }
            #expect(throws: BitmapError.invalidSize(PixelSize(0, 1))) { try Bitmap(gray: rows, size: PixelSize(0, 1)) }
            #expect(throws: BitmapError.self) { try Bitmap(gray: rows, size: PixelSize(1 << 26, 1 << 26)) }
        }
        #expect(throws: BitmapError.self) {
            try Bitmap(gray: UnsafeRawBufferPointer(start: nil, count: 0), size: PixelSize(1, 1))
        }
    }
}
