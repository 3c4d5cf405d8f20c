import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("Pixels as the file has them")
struct StoredPixelsTests {
    private func straight(_ data: Data) throws -> [UInt8] {
        var options = DecodeOptions(color: .asStored, appliesOrientation: false)
        options.premultiplies = false
        let bitmap = try ImageCodecs.all.decode(data, options: options).bitmap
        #expect(!bitmap.isOpaque)
        return bitmap.premultipliedBytes()
    }

    private func png(_ header: [UInt8], _ extras: [[UInt8]] = [], rows: [UInt8]) -> Data {
        PNGBytes.file([header] + extras + [PNGBytes.chunk("IDAT", PNGBytes.stored(rows)), PNGBytes.end])
    }

    @Test("a PNG's colours are not multiplied by alpha where that is not wanted")
    func straightPNG() throws {
        let rgba = png(PNGBytes.header(2, 1, colorType: 6), rows: [0, 255, 101, 3, 1, 10, 20, 30, 128])
        #expect(try straight(rgba) == [255, 101, 3, 1, 10, 20, 30, 128])
        let gray = png(PNGBytes.header(1, 1, colorType: 4), rows: [0, 200, 7])
        #expect(try straight(gray) == [200, 200, 200, 7])
        let sixteen = png(
            PNGBytes.header(1, 1, depth: 16, colorType: 6),
            rows: [0, 200, 1, 100, 2, 50, 3, 9, 4]
        )
        #expect(try straight(sixteen) == [200, 100, 50, 9])
        let palette = [PNGBytes.chunk("PLTE", [10, 20, 30]), PNGBytes.chunk("tRNS", [5])]
        #expect(try straight(png(PNGBytes.header(1, 1, colorType: 3), palette, rows: [0, 0])) == [10, 20, 30, 5])
    }

    @Test("so are those of QOI and of a bitmap with alpha", arguments: [ImageFormat.qoi, .bmp])
    func straightRows(_ format: ImageFormat) throws {
        let bitmap = try [UInt8]([255, 51, 0, 5, 0, 255, 102, 255]).withUnsafeBytes {
            try Bitmap(premultiplying: $0, size: PixelSize(2, 1))
        }
        #expect(try straight(ImageCodecs.all.encode(bitmap, as: format)) == bitmap.straightRGBA())
    }

    @Test("a WebP's colours are not multiplied by alpha where that is not wanted")
    func straightWebP() throws {
        let bitmap = try [UInt8]([255, 51, 0, 5, 0, 255, 102, 255]).withUnsafeBytes {
            try Bitmap(premultiplying: $0, size: PixelSize(2, 1))
        }
        let data = try WebPEncoder().encode(bitmap, options: EncodeOptions(quality: nil))
        #expect(try straight(data) == bitmap.straightRGBA())
    }

    @Test("an orientation is left alone where it is not to be applied, and a target size is that of the result")
    func stored() throws {
        let bitmap = try TestImages.photo(64, 32)
        let plain = try JPEGEncoder().encode(bitmap, options: EncodeOptions())
        let turned = plain.prefix(2) + JPEGBytes.exif(orientation: 6) + plain.dropFirst(2)
        let stored = try JPEGDecoder().decode(
            turned,
            options: DecodeOptions(targetSize: PixelSize(32, 16), appliesOrientation: false)
        ) {
            false
        }
        #expect(stored.info.orientation.rawValue == 6)
        #expect(stored.info.displaySize == PixelSize(32, 64))
        #expect(stored.fullSize == PixelSize(64, 32))
        #expect(stored.size.width >= 32 && stored.size.width == stored.size.height * 2)
    }
}
