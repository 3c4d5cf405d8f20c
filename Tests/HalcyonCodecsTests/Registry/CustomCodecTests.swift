import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("Codecs with closures")
struct CustomCodecTests {
    private static let format = ImageFormat(rawValue: "gray")

    /// A format of four letters, a width, and the gray levels of one row.
    private static let decoder: CustomImageDecoder = .init(format: format) { prefix in
        prefix.starts(with: Data("GRAY".utf8))
    } info: { data, _ throws(CodecError) in
        guard data.count > 5 else { throw .truncated(format) }
        return ImageInfo(format: format, size: PixelSize(data.count - 5, 1))
    } decode: { data, options, isCancelled in
        let info = try decoder.info(of: data, limits: options.limits)
        if isCancelled() { throw CancellationError() }
        var bitmap = try Bitmap(size: info.size)
        for (x, level) in data.dropFirst(5).enumerated() {
            bitmap.fill(PixelRect(x: x, y: 0, width: 1, height: 1), with: Color(white: Double(level) / 255))
        }
        return DecodedImage(bitmap: bitmap, info: info)
    }

    private static let encoder = CustomImageEncoder(format: format, cacheIdentity: "gray-1") { bitmap, _ in
        let levels = bitmap.colors(in: PixelRect(size: bitmap.size)).map { UInt8(($0.red * 255).rounded()) }
        return Data("GRAY".utf8) + [UInt8(truncatingIfNeeded: bitmap.width)] + levels
    }

    @Test("read and write a format of the program's own")
    func roundTrip() throws {
        let codecs = ImageCodecs.all.registering(decoder: Self.decoder).registering(encoder: Self.encoder)
        let file = Data("GRAY".utf8) + [3, 0, 51, 255]
        #expect(try codecs.info(of: file).size == PixelSize(3, 1))
        let image = try codecs.decode(file)
        #expect(image.bitmap.color(at: PixelPoint(1, 0)) == Color(white: 0.2))
        #expect(try codecs.encode(image.bitmap, as: Self.format) == file)
        #expect(Self.encoder.cacheIdentity == "gray-1")
    }

    @Test("pass on errors and cancellation")
    func failures() throws {
        let codecs = ImageCodecs(decoders: [Self.decoder])
        #expect(throws: CodecError.truncated(Self.format)) { try codecs.info(of: Data("GRAY".utf8)) }
        #expect(throws: CancellationError.self) {
            try codecs.decode(Data("GRAY".utf8) + [1, 9]) { true }
        }
        #expect(throws: CodecError.unknownFormat(detected: "text")) { try codecs.info(of: Data("WHAT".utf8)) }
    }
}
