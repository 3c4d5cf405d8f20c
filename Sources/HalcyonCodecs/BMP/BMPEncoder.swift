public import FoundationEssentials
public import HalcyonRaster

/// Writes BMP without compression: 24 bits a pixel if the bitmap is opaque, otherwise 32 bits with straight alpha and
/// the masks of a BITMAPV4HEADER, which say that the fourth byte is alpha.
///
/// An ICC profile of the pixels is embedded, with a BITMAPV5HEADER; the format has no place for the others.
public struct BMPEncoder: ImageEncoder {
    /// An encoder; it has no settings.
    public init() {}

    /// BMP.
    public var format: ImageFormat { .bmp }

    /// Encodes a bitmap; of the options only ``EncodeOptions/colorProfile`` counts.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for an image of 4 GiB or more, which the file header cannot
    ///   tell; ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let bitmap = try bitmap.withEightBits()
        let isOpaque = bitmap.isOpaque || !bitmap.containsTransparency()
        let profile = try options.embeddedMetadata(in: .bmp, of: bitmap.size)?.iccProfile ?? Data()
        let header = try BMPHeaderWriter(bitmap.size, isOpaque: isOpaque, profileByteCount: profile.count)
        let (bytesPerRow, bytesPerPixel) = (header.bytesPerRow, isOpaque ? 3 : 4)
        return try Data.written(capacity: header.fileByteCount) { (file) throws(CodecError) in
            file.copyBytes(from: header.data)
            UnsafeMutableRawBufferPointer(rebasing: file.suffix(profile.count)).copyBytes(from: profile)
            guard let pixels = file.baseAddress.map({ $0 + header.data.count }) else {
                return 0
            }
            // The last row of the image comes first.
            var out = pixels + header.pixelByteCount
            try bitmap.forEachStraightRow { row in
                out -= bytesPerRow
                let target = out.assumingMemoryBound(to: UInt8.self)
                for x in 0..<bitmap.width {
                    let (from, to) = (row + x &* 4, target + x &* bytesPerPixel)
                    (to[0], to[1], to[2]) = (from[2], from[1], from[0])
                    if !isOpaque {
                        to[3] = from[3]
                    }
                }
                for place in bitmap.width * bytesPerPixel..<bytesPerRow { target[place] = 0 }
            }
            return file.count
        }
    }
}
