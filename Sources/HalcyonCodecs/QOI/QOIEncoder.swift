public import FoundationEssentials
public import HalcyonRaster
internal import HalcyonSystem

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
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let bitmap = try options.bitmapInSRGB(bitmap).withEightBits()
        let isOpaque = bitmap.isOpaque || !bitmap.containsTransparency()
        var header = Array(QOIHeader.signature)
        for side in [bitmap.width, bitmap.height] {
            // A side of a bitmap is at most 2^26.
            header.append(bigEndian: UInt32(side))
        }
        var file = GatheredBytes()
        try file.add(header + [isOpaque ? 3 : 4, 0])
        var writer = QOIPixelWriter()
        let chunks = try PixelBuffer.forEncoding(byteCount: bitmap.width * QOIPixelWriter.maximumByteCount + 1)
        let out = chunks.pointer.bindMemory(to: UInt8.self, capacity: chunks.byteCount)
        try bitmap.forEachStraightRow { (row) throws(CodecError) in
            let count = writer.write(row, count: bitmap.width, to: out)
            try file.add(UnsafeRawBufferPointer(start: chunks.pointer, count: count))
        }
        try file.add(writer.finalChunk() + [0, 0, 0, 0, 0, 0, 0, 1])
        return file.data
    }
}
