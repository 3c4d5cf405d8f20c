import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("A ThumbHash")
struct ThumbHashTests {
    /// Packs the fields of a header, from the lowest bit on, and adds the factors, four bits each.
    private func bytes(_ fields: [(value: Int, bits: Int)], factors: [Int]) -> Data {
        var bits: [Int] = []
        for (value, count) in fields + factors.map({ ($0, 4) }) {
            bits += (0..<count).map { value >> $0 & 1 }
        }
        let padded = bits + [Int](repeating: 0, count: (8 - bits.count % 8) % 8)
        return Data(
            stride(from: 0, to: padded.count, by: 8).map { start in
                (0..<8).reduce(UInt8(0)) { $0 | UInt8(padded[start + $1]) << UInt8($1) }
            }
        )
    }

    /// A hash of one colour, with all factors in the middle and all scales zero.
    private func plain(luminance: Int, yellow: Int, red: Int, side: Int = 7, isLandscape: Bool = false) -> Data {
        // The number of factors of luminance by the shorter side; there are 5 of each colour.
        let counts = [1: 14, 2: 14, 3: 14, 4: 18, 5: 22, 6: 26, 7: 27]
        let fields = [
            (luminance, 6), (yellow, 6), (red, 6), (0, 5), (0, 1), (side, 3), (0, 6), (0, 6), (isLandscape ? 1 : 0, 1),
        ]
        return bytes(fields, factors: [Int](repeating: 8, count: (counts[side] ?? 0) + 10))
    }

    @Test("of one colour is that colour, as the formulas of the reference give it")
    func color() throws {
        // Luminance 42/63 = 2/3, yellow 63/31.5 - 1 = 1, red 31.5 is 0 between 31 and 32: 32/31.5 - 1 = 1/63.
        let hash = try ThumbHash(plain(luminance: 42, yellow: 63, red: 32))
        let (l, p, q) = (2.0 / 3, 1.0, 1.0 / 63)
        let blue = l - 2 / 3 * p
        let red = (3 * l - blue + q) / 2
        #expect(!hash.hasAlpha && hash.aspectRatio == 1)
        let bitmap = try hash.bitmap()
        #expect(bitmap.size == PixelSize(32, 32) && bitmap.isOpaque)
        let expected = [min(red, 1), min(red - q, 1), max(blue, 0)].map { UInt8(255 * $0) }
        #expect(Array(bitmap.straightRGBA().prefix(4)) == expected + [255])
        #expect(abs(hash.averageColor.green - min(1, red - q)) < 1e-9)
    }

    @Test(
        "has an aspect ratio, and an image of that shape",
        arguments: [
            (7, false, 1.0, PixelSize(32, 32)), (4, true, 1.75, PixelSize(32, 18)),
            (4, false, 4 / 7.0, PixelSize(18, 32)),
            (1, true, 7, PixelSize(32, 5)), (1, false, 1 / 7.0, PixelSize(5, 32)),
        ]
    )
    func aspectRatio(side: Int, isLandscape: Bool, ratio: Double, size: PixelSize) throws {
        let hash = try ThumbHash(plain(luminance: 20, yellow: 32, red: 32, side: side, isLandscape: isLandscape))
        #expect(hash.aspectRatio == ratio)
        #expect(hash.size() == size)
        #expect(try hash.bitmap().size == size)
        #expect(hash.size(longestSide: 320).width == (ratio < 1 ? Int((320 * ratio).rounded()) : 320))
    }

    @Test("in Base64 is the same in both alphabets, with and without padding")
    func base64() throws {
        let hash = try ThumbHash(base64: "2fcZFIB3iId/h3iJh4aIYJ2V8g==")
        #expect(try ThumbHash(base64: "2fcZFIB3iId_h3iJh4aIYJ2V8g") == hash)
        #expect(hash.bytes.base64EncodedString() == "2fcZFIB3iId/h3iJh4aIYJ2V8g==")
        #expect(hash.size() == PixelSize(32, 18))
        let color = hash.averageColor
        for (value, expected) in zip([color.red, color.green, color.blue], [0.383598, 0.399471, 0.407407]) {
            #expect(abs(value - expected) < 1e-6)
        }
    }

    @Test("with alpha has an image with alpha")
    func alpha() throws {
        let hash = try ThumbHash(base64: "2IqDBQQnxnj0JoLYdM3f8ahpuDeHiHdwZw==")
        #expect(hash.hasAlpha)
        #expect(abs(hash.averageColor.alpha - 0.466667) < 1e-6)
        #expect(try !hash.bitmap().isOpaque)
    }

    @Test("cut off at any length, or with a byte more, is a typed error")
    func lengths() throws {
        for text in ["2fcZFIB3iId/h3iJh4aIYJ2V8g==", "2IqDBQQnxnj0JoLYdM3f8ahpuDeHiHdwZw=="] {
            let bytes = try ThumbHash(base64: text).bytes
            #expect(throws: CodecError.empty) { try ThumbHash(Data()) }
            for count in 1..<bytes.count {
                #expect(throws: CodecError.truncated(.thumbHash)) { try ThumbHash(bytes.prefix(count)) }
            }
            let error = try #require(throws: CodecError.self) { try ThumbHash(bytes + [0]) }
            guard case .corrupt(.thumbHash, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("whose bytes begin elsewhere in their buffer is read all the same")
    func slice() throws {
        let bytes = try ThumbHash(base64: "2fcZFIB3iId/h3iJh4aIYJ2V8g==").bytes
        #expect(try ThumbHash((Data([1, 2, 3]) + bytes).dropFirst(3)).bytes == bytes)
    }

    @Test("without an aspect ratio, or in text that is no Base64, is damaged", arguments: ["////AAAA", "#", "Z"])
    func corrupt(text: String) throws {
        let error = try #require(throws: CodecError.self) { try ThumbHash(base64: text) }
        guard case .corrupt(.thumbHash, let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(!reason.isEmpty && error.description.contains("ThumbHash"))
    }

    @Test("of any bytes is an image or a typed error")
    func arbitraryBytes() {
        var state: UInt32 = 7
        for count in 0..<40 {
            for _ in 0..<20 {
                let bytes = Data(
                    (0..<count).map { _ in
                        state = state &* 1_664_525 &+ 1_013_904_223
                        return UInt8(truncatingIfNeeded: state >> 24)
                    }
                )
                do throws(CodecError) {
                    let hash = try ThumbHash(bytes)
                    #expect(hash.size(longestSide: 8).area <= 64)
                    #expect((try? hash.bitmap(longestSide: 8)) != nil)
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
        }
    }

    @Test(
        "is refused for a size without pixels, and for one that would cost too much",
        arguments: [0, -1, 1_025, .max]
    )
    func size(longestSide: Int) throws {
        let hash = try ThumbHash(base64: "2fcZFIB3iId/h3iJh4aIYJ2V8g")
        #expect(throws: CodecError.self) { try hash.bitmap(longestSide: longestSide) }
    }

    @Test("has a size for the greatest longest side")
    func greatestSize() throws {
        let square = try ThumbHash(plain(luminance: 20, yellow: 32, red: 32))
        #expect(square.size(longestSide: .max) == PixelSize(.max, .max))
    }

    @Test("ends between rows once it is cancelled")
    func cancelled() throws {
        let hash = try ThumbHash(base64: "2fcZFIB3iId/h3iJh4aIYJ2V8g")
        #expect(throws: CancellationError.self) { try hash.bitmap(isCancelled: { true }) }
    }
}
