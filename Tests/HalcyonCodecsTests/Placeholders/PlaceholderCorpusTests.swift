import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

/// Compares hashes with vectors of the reference implementations.
@Suite("Hashes of the test collection", .enabled(if: PixelCorpus.isPresent))
struct PlaceholderCorpusTests {
    private struct Row: Decodable {
        let op: String
        let hash: String?
        let hash_base64: String?
        let width: Int?
        let height: Int?
        let punch: Double?
        let rgb: String?
        let rgba: String?
        let average_rgba: [Double]?
        let approximate_aspect_ratio: Double?
    }

    private func rows(_ name: String, _ operation: String) throws -> [Row] {
        try JSONDecoder().decode([Row].self, from: PixelCorpus.data("hash_vectors/\(name).json"))
            .filter { $0.op == operation }
    }

    /// Returns the greatest difference of two rows of samples of the same length.
    private func difference(_ left: [UInt8], _ right: [UInt8]) -> Int {
        zip(left, right).reduce(left.count == right.count ? 0 : 256) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    @Test("of BlurHash decode as its C implementation does, within one of 255 steps")
    func blurHash() throws {
        let rows = try rows("blurhash", "decode")
        #expect(rows.count >= 60)
        for row in rows {
            let (hash, file) = (try #require(row.hash), try #require(row.rgb))
            let size = PixelSize(try #require(row.width), try #require(row.height))
            let bitmap = try BlurHash(hash).bitmap(size: size, punch: row.punch ?? 1)
            let samples = bitmap.straightRGBA().enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
            #expect(difference(samples, Array(try PixelCorpus.data("hash_vectors/\(file)"))) <= 1, "\(hash)")
        }
    }

    @Test("of BlurHash that are malformed are typed errors")
    func malformed() throws {
        let rows = try rows("blurhash", "invalid")
        #expect(rows.count >= 6)
        for row in rows {
            let hash = try #require(row.hash)
            #expect(throws: CodecError.self, "\(hash)") { try BlurHash(hash) }
        }
    }

    @Test("of images in BlurHash are all read")
    func encodings() throws {
        for row in try rows("blurhash", "encode") {
            #expect(try BlurHash(try #require(row.hash)).averageColor.alpha == 1)
        }
    }

    @Test("of ThumbHash decode as its JavaScript implementation does, within one of 255 steps")
    func thumbHash() throws {
        let rows = try rows("thumbhash", "decode")
        #expect(rows.count >= 20)
        for row in rows {
            let (text, file) = (try #require(row.hash_base64), try #require(row.rgba))
            let hash = try ThumbHash(base64: text)
            #expect(hash.size() == PixelSize(try #require(row.width), try #require(row.height)), "\(text)")
            if let ratio = row.approximate_aspect_ratio { #expect(abs(hash.aspectRatio - ratio) < 1e-9) }
            let average = try #require(row.average_rgba)
            let color = hash.averageColor
            for (value, expected) in zip([color.red, color.green, color.blue, color.alpha], average) {
                #expect(abs(value - expected) < 1e-5, "\(text)")
            }
            // Colours multiplied by alpha, as translucent ones lose precision.
            let expected = try premultiplied(Array(PixelCorpus.data("hash_vectors/\(file)")), hash.size())
            let bitmap = try hash.bitmap()
            #expect(difference(premultiplied(bitmap), expected) <= 1, "\(text)")
        }
    }

    private func premultiplied(_ rows: [UInt8], _ size: PixelSize) throws -> [UInt8] {
        premultiplied(try rows.withUnsafeBytes { try Bitmap(premultiplying: $0, size: size) })
    }

    private func premultiplied(_ bitmap: Bitmap) -> [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            (0..<bitmap.height).flatMap { y in
                bytes[(y * bitmap.bytesPerRow)..<(y * bitmap.bytesPerRow + 4 * bitmap.width)]
            }
        }
    }
}
