public import FoundationEssentials
public import HalcyonRaster

/// Writes QOI ("The Quite OK Image Format", specification 1.0): lossless, 3 channels if the bitmap is opaque, otherwise
/// 4 with straight alpha.
///
/// The format has no place for metadata.
public struct QOIEncoder: ImageEncoder {
    /// An encoder; it has no settings.
    public init() {}

    /// QOI.
    public var format: ImageFormat { .qoi }

    /// Encodes a bitmap; the options don't matter. Linear in the number of pixels, each of which takes 5 bytes at most.
    ///
    /// Never fails.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let bitmap = try bitmap.withEightBits()
        let isOpaque = bitmap.isOpaque || !bitmap.containsTransparency()
        var file = Data(QOIHeader.signature)
        for side in [bitmap.width, bitmap.height] {
            // A side of a bitmap is at most 2^26.
            withUnsafeBytes(of: UInt32(side).bigEndian) { file.append(contentsOf: $0) }
        }
        file.append(contentsOf: [isOpaque ? 3 : 4, 0])
        var writer = QOIPixelWriter()
        var chunks = [UInt8](repeating: 0, count: bitmap.width * QOIPixelWriter.maximumByteCount + 1)
        bitmap.forEachStraightRow { row in
            chunks.withUnsafeMutableBufferPointer { chunks in
                guard let out = chunks.baseAddress else {
                    return
                }
                file.append(out, count: writer.write(row, count: bitmap.width, to: out))
            }
        }
        file.append(contentsOf: writer.finalChunk() + [0, 0, 0, 0, 0, 0, 0, 1])
        return file
    }
}
