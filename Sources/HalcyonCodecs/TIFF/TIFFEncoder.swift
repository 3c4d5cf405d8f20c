#if TIFF
internal import CTIFFShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes TIFF 6.0 without loss: RGB of 8 bits a sample, with straight alpha where the bitmap has transparency, deflated
/// with horizontal prediction, little endian.
///
/// An ICC profile and an XMP packet are kept. EXIF is left out: TIFF holds its tags in the file's own directories.
public struct TIFFEncoder: ImageEncoder {
    /// The format's offsets have 32 bits; deflated pictures stay below that from half of it on.
    private static let maximumByteCount = 1 << 31

    /// An encoder.
    public init() {}

    /// ``ImageFormat/tiff``.
    public var format: ImageFormat { .tiff }

    /// Encodes a bitmap; the quality does not matter.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for more than 2 GiB of samples, or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        guard bitmap.size.area <= Self.maximumByteCount / 4 else {
            throw .cannotEncode(.tiff, reason: "\(bitmap.size) pixels; their samples can have 2 GiB")
        }
        let writer = try open(bitmap, options.metadata)
        defer { halcyon_tiff_writer_close(writer) }
        try writeRows(of: bitmap, to: writer)
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard halcyon_tiff_writer_finish(writer, &bytes, &count), let bytes else {
            throw Self.failure(of: writer)
        }
        return Data(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func open(_ bitmap: Bitmap, _ metadata: ImageMetadata?) throws(CodecError) -> OpaquePointer {
        // libtiff copies what it is given.
        let writer = [UInt8](metadata?.iccProfile ?? Data()).withUnsafeBufferPointer { profile in
            [UInt8](metadata?.xmp ?? Data()).withUnsafeBufferPointer { xmp in
                var page = HalcyonTIFFPage()
                page.width = UInt32(bitmap.width)
                page.height = UInt32(bitmap.height)
                page.bits_per_sample = 8
                page.samples_per_pixel = bitmap.isOpaque ? 3 : 4
                page.icc_profile = profile.baseAddress
                page.icc_profile_size = profile.count
                page.xmp = xmp.baseAddress
                page.xmp_size = xmp.count
                return halcyon_tiff_writer_open(&page)
            }
        }
        guard let writer else {
            throw .cannotEncode(.tiff, reason: "out of memory")
        }
        return writer
    }

    private func writeRows(of bitmap: Bitmap, to writer: OpaquePointer) throws(CodecError) {
        let width = bitmap.width
        var samples = [UInt8](repeating: 0, count: width * 4)
        for y in 0..<bitmap.height {
            let isWritten = bitmap.withUnsafeBytes { bytes in
                samples.withUnsafeMutableBufferPointer { samples in
                    guard
                        let row = bytes.assumingMemoryBound(to: UInt8.self).baseAddress.map({
                            $0 + y * bitmap.bytesPerRow
                        }),
                        let out = samples.baseAddress
                    else {
                        return false
                    }
                    if bitmap.isOpaque {
                        Self.dropAlpha(row, into: out, count: width)
                    } else {
                        PixelConversion.unpremultiply(row, into: out, count: width)
                    }
                    return halcyon_tiff_writer_write_row(writer, out)
                }
            }
            guard isWritten else {
                throw Self.failure(of: writer)
            }
        }
    }

    private static func dropAlpha(_ row: UnsafePointer<UInt8>, into out: UnsafeMutablePointer<UInt8>, count: Int) {
        for x in 0..<count {
            for channel in 0..<3 {
                out[x &* 3 &+ channel] = row[x &* 4 &+ channel]
            }
        }
    }

    private static func failure(of writer: OpaquePointer) -> CodecError {
        let message = String(cString: halcyon_tiff_writer_message(writer))
        return .cannotEncode(.tiff, reason: message.isEmpty ? "out of memory" : message)
    }
}
#endif
