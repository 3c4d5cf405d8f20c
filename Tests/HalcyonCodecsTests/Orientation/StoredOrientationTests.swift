import Foundation
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("images stay as they are stored on request")
struct StoredOrientationTests {
    static let size = PixelSize(12, 8)

    static func png() throws -> Data {
        let file = try PNGEncoder().encode(.sample(size), options: EncodeOptions())
        // In front of IEND, the last 12 bytes.
        return file.dropLast(12) + PNGBytes.chunk("eXIf", [UInt8](EXIFBlock(orientation: 6).data)) + PNGBytes.end
    }

    static func webP() throws -> Data {
        let file = try WebPEncoder().encode(.sample(size), options: EncodeOptions(quality: nil))
        return WebPBytes.file(
            WebPBytes.extendedHeader(flags: 0x08, width: size.width, height: size.height),
            WebPBytes.imageChunks(of: file),
            WebPBytes.chunk("EXIF", EXIFBlock(orientation: 6).data)
        )
    }

    @Test("and turned by default", arguments: [ImageFormat.png, .webp])
    func orientation(format: ImageFormat) throws {
        let data = try format == .png ? Self.png() : Self.webP()
        let upright = try ImageCodecs.all.decode(data)
        let stored = try ImageCodecs.all.decode(data, options: DecodeOptions(appliesOrientation: false))
        #expect(upright.info == stored.info)
        #expect(stored.info.orientation == .right)
        #expect(stored.size == Self.size && stored.fullSize == Self.size)
        #expect(upright.size == Self.size.transposed && upright.fullSize == Self.size.transposed)
        #expect(
            try firstDifference(stored.bitmap.oriented(.right).straightRGBA(), upright.bitmap.straightRGBA()) == nil
        )
        #expect(try firstDifference(stored.bitmap.straightRGBA(), Bitmap.sample(Self.size).straightRGBA()) == nil)
    }
}
