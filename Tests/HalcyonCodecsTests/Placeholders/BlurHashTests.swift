import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("A BlurHash")
struct BlurHashTests {
    /// Returns the red, green and blue of a pixel.
    private func color(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            Array(bytes[(y * bitmap.bytesPerRow + 4 * x)..<(y * bitmap.bytesPerRow + 4 * x + 3)])
        }
    }

    @Test("of one component is its average colour everywhere")
    func average() throws {
        let hash = try BlurHash("001HpD")
        #expect(hash.horizontalComponentCount == 1 && hash.verticalComponentCount == 1)
        let value = 1 * 83 * 83 * 83 + 17 * 83 * 83 + 51 * 83 + 13
        let expected = [UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255)]
        let bitmap = try hash.bitmap(size: PixelSize(3, 2))
        for y in 0..<2 {
            for x in 0..<3 { #expect(color(bitmap, x, y) == expected) }
        }
        #expect(bitmap.isOpaque)
        #expect(
            hash.averageColor
                == Color(
                    red: Double(expected[0]) / 255,
                    green: Double(expected[1]) / 255,
                    blue: Double(expected[2]) / 255
                )
        )
    }

    @Test("tells its components, from left to right and from top to bottom")
    func components() throws {
        let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        #expect(hash.horizontalComponentCount == 4 && hash.verticalComponentCount == 3)
        #expect(hash.text == "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
    }

    @Test("of two components is a cosine in linear light")
    func gradient() throws {
        // Two components in x; the greatest is (82 + 1) / 166 = 0.5; the average is black; the second is +1, 0, -1.
        let component = 18 * 361 + 9 * 19 + 0
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
        let hash = try BlurHash("1~0000\(digits[component / 83])\(digits[component % 83])")
        let bitmap = try hash.bitmap(size: PixelSize(4, 1))
        // Light of 0.5 · cos(0, π/4, π/2, 3π/4): 0.5, 0.3536, 0, -0.3536, encoded as sRGB.
        #expect((0..<4).map { color(bitmap, $0, 0)[0] } == [188, 160, 0, 0])
        #expect((0..<4).map { color(bitmap, $0, 0)[1] } == [0, 0, 0, 0])
        #expect((0..<4).map { color(bitmap, $0, 0)[2] } == [0, 0, 0, 160])
        // Twice the contrast.
        let strong = try hash.bitmap(size: PixelSize(4, 1), punch: 2)
        #expect((0..<4).map { color(strong, $0, 0)[0] } == [255, 219, 0, 0])
    }

    @Test(
        "that is malformed is a typed error",
        arguments: [
            ("", CodecError.empty), ("0", .truncated(.blurHash)), ("00000", .truncated(.blurHash)),
            ("LEHV6nWB2yk8pyo0adR*.7kCMdn", .truncated(.blurHash)),
        ]
    )
    func truncated(text: String, expected: CodecError) {
        #expect(throws: expected) { try BlurHash(text) }
    }

    @Test(
        "that contradicts its format is damaged",
        arguments: [
            // A number of components above 80, a character that is no digit, too many characters, an average of more
            // than 24 bits, a component of more than 19 · 19 · 19 - 1.
            "~00000", "&BCDEF", "00000000", "0000 0", "00~~~~", "0é000", "100000~~", "LEHV6nWB2yk8pyo0adR*.7kCMdnj0",
        ]
    )
    func corrupt(text: String) throws {
        let error = try #require(throws: CodecError.self) { try BlurHash(text) }
        guard case .corrupt(.blurHash, let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(!reason.isEmpty && error.description.contains("BlurHash"))
    }

    @Test(
        "is refused for a size without pixels, and for one that would cost too much",
        arguments: [PixelSize(0, 4), PixelSize(4, -1), PixelSize(1_025, 4), PixelSize(4, .max)]
    )
    func size(size: PixelSize) throws {
        let hash = try BlurHash("00B:Tv")
        #expect(throws: CodecError.self) { try hash.bitmap(size: size) }
        #expect(try hash.bitmap(size: PixelSize(1, 1)).size == PixelSize(1, 1))
    }

    @Test("with a contrast that is no number is an image all the same", arguments: [Double.nan, .infinity, -.infinity])
    func hostilePunch(punch: Double) throws {
        let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        #expect(try hash.bitmap(size: PixelSize(8, 8), punch: punch).size == PixelSize(8, 8))
    }

    @Test("ends between rows once it is cancelled")
    func cancelled() throws {
        let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        #expect(throws: CancellationError.self) { try hash.bitmap(size: PixelSize(8, 8), isCancelled: { true }) }
    }
}
