public import FoundationEssentials
public import HalcyonRaster

/// Writes PAM (Netpbm's "P7"): RGB_ALPHA, 8 or 16 bits a sample as the bitmap has, straight alpha, with red, green
/// and blue 0 where alpha is 0.
public struct PAMEncoder: ImageEncoder {
    /// An encoder.
    public init() {}

    /// ``ImageFormat/pam``.
    public var format: ImageFormat { .pam }

    /// Encodes a bitmap; the options don't matter.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let bitmap = options.bitmapInSRGB(bitmap)
        let maximum = bitmap.depth == .eight ? 255 : 65_535
        var header = "P7\nWIDTH \(bitmap.width)\nHEIGHT \(bitmap.height)\nDEPTH 4\nMAXVAL \(maximum)\n"
        header += "TUPLTYPE RGB_ALPHA\nENDHDR\n"
        let headerBytes = Data(header.utf8)
        let rowByteCount = bitmap.width * bitmap.bytesPerPixel
        return try Data.written(capacity: headerBytes.count + rowByteCount * bitmap.height) { file in
            file.copyBytes(from: headerBytes)
            bitmap.withUnsafeBytes { pixels in
                guard let target = file.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let source = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else {
                    return
                }
                for row in 0..<bitmap.height {
                    PixelConversion.writeStraight(
                        source + row * bitmap.bytesPerRow,
                        into: target + headerBytes.count + row * rowByteCount,
                        count: bitmap.width,
                        depth: bitmap.depth
                    )
                }
            }
            return file.count
        }
    }
}
