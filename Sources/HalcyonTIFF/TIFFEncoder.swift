internal import CTIFFShim
public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonRaster

/// Writes TIFF 6.0 without loss, of one page or several: RGB of 8 or 16 bits a sample as the bitmap has, with straight
/// alpha where the bitmap has transparency, deflated with horizontal prediction, little endian.
///
/// An ICC profile of the pixels, an XMP packet and the tags of EXIF are kept; the packet and the tags belong to the first
/// page. A maker's note is copied as it is.
public struct TIFFEncoder: PageEncoder {
    /// The format's offsets have 32 bits; deflated images stay below that from half of it on.
    private static let maximumByteCount = 1 << 31
    /// A page's number has 16 bits.
    private static let maximumPageCount = Int(UInt16.max)

    /// An encoder.
    public init() {}

    /// ``ImageFormat/tiff``.
    public var format: ImageFormat { .tiff }

    /// Effort.
    public var choices: EncodeChoices { .effort }

    /// Encodes a bitmap; the quality does not matter.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for more than 2 GiB of samples, or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        try encode(pages: [bitmap], options: options)
    }

    /// Encodes pages, which may differ in size, depth and transparency; the quality does not matter.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for none, more than 65,535, more than 2 GiB of samples in all, or
    ///   where memory runs out.
    public func encode(pages: [Bitmap], options: EncodeOptions) throws(CodecError) -> Data {
        guard (1...Self.maximumPageCount).contains(pages.count) else {
            throw .cannotEncode(.tiff, reason: "\(pages.count) pages; a file has 1 to \(Self.maximumPageCount)")
        }
        var byteCount = 0
        for page in pages {
            let (samples, overflows) = page.size.area.multipliedReportingOverflow(by: page.bytesPerPixel)
            guard !overflows, samples <= Self.maximumByteCount - byteCount else {
                throw .cannotEncode(.tiff, reason: "\(page.size) pixels; the samples of a file can have 2 GiB")
            }
            byteCount += samples
        }
        guard let writer = halcyon_tiff_writer_open() else {
            throw .cannotEncode(.tiff, reason: "out of memory")
        }
        defer { halcyon_tiff_writer_close(writer) }
        let metadata = try options.embeddedMetadata(in: .tiff, of: pages[0].size)
        for (number, page) in pages.enumerated() {
            try start(page, number, of: pages.count, metadata, options, in: writer)
            try writeRows(of: page, to: writer)
        }
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard halcyon_tiff_writer_finish(writer, &bytes, &count), let bytes else {
            throw Self.failure(of: writer)
        }
        let file = try Data.written(bytes, count: count)
        return metadata?.exif.map { TIFFTags.adding($0, to: file) } ?? file
    }

    private func start(
        _ bitmap: Bitmap,
        _ number: Int,
        of pageCount: Int,
        _ metadata: ImageMetadata?,
        _ options: EncodeOptions,
        in writer: OpaquePointer
    ) throws(CodecError) {
        let xmp = number == 0 ? metadata?.xmp : nil
        // libtiff copies what it is given.
        let isStarted = [UInt8](metadata?.iccProfile ?? Data()).withUnsafeBufferPointer { profile in
            [UInt8](xmp ?? Data()).withUnsafeBufferPointer { xmp in
                var page = HalcyonTIFFPage()
                page.width = UInt32(bitmap.width)
                page.height = UInt32(bitmap.height)
                page.bits_per_sample = UInt16(bitmap.depth.rawValue)
                page.samples_per_pixel = bitmap.isOpaque ? 3 : 4
                page.orientation = UInt16(options.orientation.rawValue)
                if pageCount > 1 { (page.number, page.count) = (UInt16(number), UInt16(pageCount)) }
                page.deflate_level = UInt16(options.effort(from: 1, to: 9, default: 6))
                page.icc_profile = profile.baseAddress
                page.icc_profile_size = profile.count
                page.xmp = xmp.baseAddress
                page.xmp_size = xmp.count
                return halcyon_tiff_writer_start_page(writer, &page)
            }
        }
        guard isStarted else { throw Self.failure(of: writer) }
    }

    private func writeRows(of bitmap: Bitmap, to writer: OpaquePointer) throws(CodecError) {
        let samples = try PixelBuffer.forEncoding(byteCount: bitmap.width * bitmap.bytesPerPixel)
        defer { withExtendedLifetime(samples) {} }
        let row = samples.pointer.bindMemory(to: UInt8.self, capacity: samples.byteCount)
        for y in 0..<bitmap.height {
            bitmap.pack(row: y, into: samples.pointer, hasAlpha: !bitmap.isOpaque)
            guard halcyon_tiff_writer_write_row(writer, row) else { throw Self.failure(of: writer) }
        }
    }

    private static func failure(of writer: OpaquePointer) -> CodecError {
        let message = String(cString: halcyon_tiff_writer_message(writer))
        return .cannotEncode(.tiff, reason: message.isEmpty ? "out of memory" : message)
    }
}
