#if TIFF
internal import CTIFFShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes TIFF 6.0 without loss: RGB of 8 or 16 bits a sample as the bitmap has, with straight alpha where the bitmap
/// has transparency, deflated with horizontal prediction, little endian.
///
/// An ICC profile of the pixels and an XMP packet are kept. EXIF is left out: TIFF holds its tags in the file's own
/// directories.
public struct TIFFEncoder: ImageEncoder {
    /// The format's offsets have 32 bits; deflated images stay below that from half of it on.
    private static let maximumByteCount = 1 << 31

    /// An encoder.
    public init() {}

    /// ``ImageFormat/tiff``.
    public var format: ImageFormat { .tiff }

    /// Encodes a bitmap; the quality does not matter.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for more than 2 GiB of samples, or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        guard bitmap.size.area <= Self.maximumByteCount / bitmap.bytesPerPixel else {
            throw .cannotEncode(.tiff, reason: "\(bitmap.size) pixels; their samples can have 2 GiB")
        }
        let writer = try open(bitmap, options.embeddedMetadata(in: .tiff), options.orientation)
        defer { halcyon_tiff_writer_close(writer) }
        try writeRows(of: bitmap, to: writer)
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard halcyon_tiff_writer_finish(writer, &bytes, &count), let bytes else {
            throw Self.failure(of: writer)
        }
        return Data(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func open(
        _ bitmap: Bitmap,
        _ metadata: ImageMetadata?,
        _ orientation: Orientation
    ) throws(CodecError) -> OpaquePointer {
        // libtiff copies what it is given.
        let writer = [UInt8](metadata?.iccProfile ?? Data()).withUnsafeBufferPointer { profile in
            [UInt8](metadata?.xmp ?? Data()).withUnsafeBufferPointer { xmp in
                var page = HalcyonTIFFPage()
                page.width = UInt32(bitmap.width)
                page.height = UInt32(bitmap.height)
                page.bits_per_sample = UInt16(bitmap.depth.rawValue)
                page.samples_per_pixel = bitmap.isOpaque ? 3 : 4
                page.orientation = UInt16(orientation.rawValue)
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
        var samples = [UInt8](repeating: 0, count: bitmap.width * bitmap.bytesPerPixel)
        for y in 0..<bitmap.height {
            let isWritten = bitmap.withUnsafeBytes { bytes in
                samples.withUnsafeMutableBytes { samples in
                    let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bitmap.bytesPerRow)...])
                    guard let row = row.baseAddress, let out = samples.baseAddress else {
                        return false
                    }
                    Self.convert(row, into: out, of: bitmap)
                    return halcyon_tiff_writer_write_row(writer, out.assumingMemoryBound(to: UInt8.self))
                }
            }
            guard isWritten else {
                throw Self.failure(of: writer)
            }
        }
    }

    /// Makes a row straight, or leaves out alpha where there is none.
    private static func convert(_ row: UnsafeRawPointer, into out: UnsafeMutableRawPointer, of bitmap: Bitmap) {
        switch (bitmap.isOpaque, bitmap.depth) {
        case (true, .eight): dropAlpha(row, into: out, count: bitmap.width, as: UInt8.self)
        case (true, .sixteen): dropAlpha(row, into: out, count: bitmap.width, as: UInt16.self)
        case (false, .eight):
            let (row, out) = (row.assumingMemoryBound(to: UInt8.self), out.assumingMemoryBound(to: UInt8.self))
            PixelConversion.unpremultiply(row, into: out, count: bitmap.width)
        case (false, .sixteen): PixelConversion.unpremultiply16(row, into: out, count: bitmap.width)
        }
    }

    private static func dropAlpha<Sample>(
        _ row: UnsafeRawPointer,
        into out: UnsafeMutableRawPointer,
        count: Int,
        as type: Sample.Type
    ) {
        let (row, out) = (row.assumingMemoryBound(to: type), out.assumingMemoryBound(to: type))
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
