import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("BMP, icons and QOI with straight alpha")
struct StraightAlphaTests {
    /// Nearly transparent, so that premultiplied samples could not tell the colour.
    private static let color: [UInt8] = [200, 100, 50, 3]

    @Test("samples stay as the file has them where that is asked for")
    func samples() throws {
        let masks = [0xff, 0xff00, 0xff_0000, 0xff00_0000].flatMap { BMPBytes.number($0) }
        let header = BMPBytes.header(1, 1, bits: 32, compression: 3, byteCount: 56, further: masks)
        let qoi = Array("qoif".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 4, 0, 0xff]
        let icon = ICOBytes.bitmap(1, [50, 100, 200, 3])
        let cases: [(any ImageDecoder, Data)] = [
            (BMPDecoder(), BMPBytes.file(header, Self.color)), (QOIDecoder(), Data(qoi + Self.color)),
            (ICODecoder(), ICOBytes.file([icon])),
        ]
        var options = DecodeOptions()
        for (decoder, data) in cases {
            options.premultiplies = false
            let straight = try decoder.decode(data, options: options, isCancelled: { false })
            #expect(straight.bitmap[0, 0] == Self.color, "\(decoder.format)")
            #expect(!straight.bitmap.isOpaque)
            options.premultiplies = true
            let premultiplied = try decoder.decode(data, options: options, isCancelled: { false })
            #expect(premultiplied.bitmap[0, 0] == [2, 1, 1, 3], "\(decoder.format)")
        }
    }
}
