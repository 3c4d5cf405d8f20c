import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonSystem
import Testing

/// Returns a pixel of a wide colour space, and tells where it is.
private struct WideDecoder: ImageDecoder {
    let address = Lock<UInt?>(nil)

    var format: ImageFormat { ImageFormat(rawValue: "wide") }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Data("wide".utf8)) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: format, size: PixelSize(16, 16))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var bitmap = try Bitmap(size: PixelSize(16, 16), isOpaque: true)
        bitmap.withUnsafeMutableBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 200) }
        address.withLock { $0 = bitmap.address }
        let profile = ColorProfile.codePoints(primaries: 12, transfer: 13)
        return DecodedImage(bitmap: bitmap, info: try info(of: data, limits: .standard), colorProfile: profile)
    }
}

extension Bitmap {
    fileprivate var address: UInt { withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
}

@Test("the colours of a decoded image are converted in its own memory")
func conversionInPlace() throws {
    let decoder = WideDecoder()
    let options = DecodeOptions(typeHint: decoder.format)
    let image = try ImageCodecs(decoders: [decoder]).decode(Data("wide".utf8), options: options)
    #expect(image.colorProfile == nil)
    #expect(image.bitmap.address == decoder.address.withLock { $0 })
}
