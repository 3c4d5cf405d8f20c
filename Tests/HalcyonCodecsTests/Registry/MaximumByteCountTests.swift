import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("Encoding to a largest size")
struct MaximumByteCountTests {
    private let codecs = ImageCodecs.all

    @Test("quality is lowered until the file fits, and not much further", arguments: [ImageFormat.jpeg, .webp])
    func fits(_ format: ImageFormat) throws {
        let bitmap = try TestImages.photo(160, 120)
        let full = try codecs.encode(bitmap, as: format, options: EncodeOptions(quality: 95)).count
        let least = try codecs.encode(bitmap, as: format, options: EncodeOptions(quality: 1)).count
        for share in [0.15, 0.4, 0.7, 0.95] {
            let maximum = least + Int(share * Double(full - least))
            let options = EncodeOptions(quality: 95, maximumByteCount: maximum)
            let data = try codecs.encode(bitmap, as: format, options: options)
            #expect(data.count <= maximum)
            #expect(Double(data.count) > 0.7 * Double(maximum), "\(data.count) of \(maximum)")
            #expect(try codecs.decode(data).size == bitmap.size)
        }
    }

    @Test("a file that fits at the quality asked for is left as it is")
    func unchanged() throws {
        let bitmap = try TestImages.photo(60, 40)
        let data = try codecs.encode(bitmap, as: .jpeg, options: EncodeOptions(quality: 80))
        let options = EncodeOptions(quality: 80, maximumByteCount: data.count)
        #expect(try firstDifference(codecs.encode(bitmap, as: .jpeg, options: options), data) == nil)
    }

    @Test("lossless WebP that is too large becomes lossy")
    func lossless() throws {
        let bitmap = try TestImages.photo(100, 100)
        let lossless = try codecs.encode(bitmap, as: .webp, options: EncodeOptions(quality: nil)).count
        let options = EncodeOptions(quality: nil, maximumByteCount: lossless / 2)
        #expect(try codecs.encode(bitmap, as: .webp, options: options).count <= lossless / 2)
    }

    @Test("what cannot be made small enough says how large it is", arguments: [ImageFormat.png, .gif, .jpeg, .webp])
    func tooLarge(_ format: ImageFormat) throws {
        let bitmap = try TestImages.photo(60, 40)
        let error = #expect(throws: CodecError.self) {
            try codecs.encode(bitmap, as: format, options: EncodeOptions(maximumByteCount: 20))
        }
        let least = try codecs.encode(bitmap, as: format, options: EncodeOptions(quality: 1)).count
        #expect(error == .tooManyBytes(format, byteCount: least, maximum: 20))
    }

    @Test("an animation obeys it as well")
    func animation() throws {
        let frames = try (1...3).map { number in
            AnimationFrame(bitmap: try TestImages.photo(60, 40).shifted(number), duration: 20)
        }
        let full = try codecs.encode(frames, as: .webp, options: EncodeOptions(quality: 90)).count
        let options = EncodeOptions(quality: 90, maximumByteCount: full / 2)
        #expect(try codecs.encode(frames, as: .webp, options: options).count <= full / 2)
        #expect(throws: CodecError.self) {
            try codecs.encode(frames, as: .gif, options: EncodeOptions(maximumByteCount: 100))
        }
    }

    @Test("few attempts are made")
    func attempts() throws {
        var count = 0
        let search = QualitySearch(.jpeg, EncodeOptions(quality: 100, maximumByteCount: 5_000))
        let data = try search.data { options throws(CodecError) in
            count += 1
            // A step where sizes grow a hundredfold.
            let quality = options.quality ?? 100
            return Data(count: quality < 60 ? 1_000 + quality * 70 : 100_000 + quality)
        }
        #expect(data.count <= 5_000 && data.count > 4_000)
        #expect(count <= 8)
    }
}

extension Bitmap {
    /// The same image with brighter pixels.
    fileprivate func shifted(_ amount: Int) -> Bitmap {
        var result = self
        result.withUnsafeMutableBytes { bytes in
            for index in stride(from: 0, to: bytes.count, by: 4) {
                bytes[index] = UInt8(min(255, Int(bytes[index]) + 20 * amount))
            }
        }
        return result
    }
}
