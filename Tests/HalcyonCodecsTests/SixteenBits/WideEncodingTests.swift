import Foundation
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("bitmaps of 16 bits a sample are encoded")
struct WideEncodingTests {
    /// Straight samples, all of them different in their lower bytes.
    static let straight: [UInt16] = (0..<(9 * 5)).flatMap { pixel -> [UInt16] in
        let step = UInt16(pixel) &* 1_111
        return [step, 65_535 - step, 0x1234 &+ step, 65_535]
    }

    static func bitmap() throws -> Bitmap {
        try straight.withUnsafeBytes { try Bitmap(premultiplying16: $0, size: PixelSize(9, 5)) }
    }

    @Test(
        "with 8 bits by the formats that have no more",
        arguments: [ImageFormat.jpeg, .webp, .gif, .bmp, .qoi]
    )
    func narrowFormats(format: ImageFormat) throws {
        let bitmap = try Self.bitmap()
        let encoded = try ImageCodecs.all.encode(bitmap, as: format)
        #expect(
            try firstDifference(encoded, ImageCodecs.all.encode(bitmap.converted(to: .eight), as: format)) == nil
        )
    }

    @Test("with 16 bits by PAM, most significant byte first")
    func pam() throws {
        let encoded = try PAMEncoder().encode(Self.bitmap(), options: EncodeOptions())
        let header = "P7\nWIDTH 9\nHEIGHT 5\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        let samples = Self.straight.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        #expect(firstDifference(encoded, Data(header.utf8) + samples) == nil)
    }

    @Test("with 16 bits by PNG")
    func png() throws {
        let encoded = try PNGEncoder().encode(Self.bitmap(), options: EncodeOptions())
        // The bit depth stands behind the signature, the chunk's length and name, width and height.
        #expect(encoded[24] == 16)
        let decoded = try PNGDecoder().decode(encoded, options: DecodeOptions()) { false }
        #expect(decoded.info.bitDepth == 16)
        #expect(firstDifference(decoded.bitmap.straightRGBA(), Self.straight.map { UInt8($0 >> 8) }) == nil)
    }
}
