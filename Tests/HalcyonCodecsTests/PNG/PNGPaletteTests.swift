import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("PNG encoder, the smallest layout")
struct PNGPaletteTests {
    private func encode(_ bitmap: Bitmap) throws -> Data {
        try PNGEncoder().encode(bitmap, options: EncodeOptions())
    }

    private func decode(_ data: Data) throws -> Bitmap {
        try PNGDecoder().decode(data, options: DecodeOptions(), isCancelled: { false }).bitmap
    }

    @Test("up to 256 colours are a palette of the fewest bits", arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257])
    func colors(count: Int) throws {
        for width in [1, 7, 8, 9, 67] {
            let bitmap = try TestImages.bitmap(width, 300) { x, y in
                let number = (x + y * width) % count
                return (number % 256, number / 256, 7, 255)
            }
            let data = try encode(bitmap)
            let depth: [UInt8] = [count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8, count > 256 ? 2 : 3]
            #expect(Array(data[24..<26]) == depth, "\(count) colours, \(width) pixels wide")
            #expect(try decode(data).greatestDifference(from: bitmap) == 0)
        }
    }

    @Test("transparent and half transparent colours are kept", arguments: [2, 30, 200])
    func alpha(count: Int) throws {
        let bitmap = try TestImages.bitmap(40, 20) { x, y in
            let number = (x * y) % count
            return (number, 255 - number, 3, number.isMultiple(of: 3) ? 0 : number.isMultiple(of: 2) ? 128 : 255)
        }
        let data = try encode(bitmap)
        #expect(data[25] == 3)
        #expect(PNGBytes.chunkTypes(data) == ["IHDR", "sRGB", "PLTE", "tRNS", "IDAT", "IEND"])
        #expect(try decode(data).greatestDifference(from: bitmap) == 0)
    }

    @Test("many shades of grey are stored as such, and filtered")
    func gray() throws {
        let bitmap = try TestImages.bitmap(256, 100) { x, y in ((x + y) & 255, (x + y) & 255, (x + y) & 255, 255) }
        let data = try encode(bitmap)
        #expect(Array(data[24..<26]) == [8, 0])
        #expect(data.count < 1_000)
        #expect(try decode(data).greatestDifference(from: bitmap) == 0)
    }

    @Test("pixels that no premultiplied bitmap should hold do not trap")
    func impossiblePixels() throws {
        var bitmap = try Bitmap(size: PixelSize(3, 2))
        bitmap.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 0 : 255 }
        }
        #expect(try decode(encode(bitmap)).size == bitmap.size)
    }
}
