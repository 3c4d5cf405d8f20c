internal import CTIFFShim
internal import HalcyonCodecs
internal import HalcyonRaster

/// One page opened by libtiff. A class, because libtiff's handle needs one owner that closes it.
final class TIFFPageReader {
    let layout: HalcyonTIFFLayout
    private let byteCount: Int
    private let handle: OpaquePointer
    /// A Boolean value that indicates whether the file is read as if zeros followed it.
    private let isPadded: Bool
    /// The bytes of each sample in a strip or tile that the file leaves out, in the order of this machine; `nil` where
    /// one that is not there is missing.
    private let leftOutSample: [UInt8]?

    /// Opens the directory at an offset. `bytes` must outlive this value.
    ///
    /// - Parameters:
    ///   - leftOutValue: The samples of strips and tiles that a sparse file leaves out; `nil` where they are missing.
    ///   - padding: The zeros that are read beyond the end, see ``missingByteCount``.
    init(
        _ bytes: UnsafeRawBufferPointer,
        directory: Int,
        leftOutValue: Double?,
        memoryLimit: Int,
        padding: Int = 0
    ) throws(CodecError) {
        var message = [CChar](repeating: 0, count: 256)
        isPadded = padding > 0
        byteCount = bytes.count
        let opened = halcyon_tiff_reader_open(
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count,
            padding,
            UInt64(directory),
            memoryLimit,
            &message,
            message.count
        )
        guard let opened else {
            throw .corrupt(.tiff, reason: Self.reason(message))
        }
        var layout = HalcyonTIFFLayout()
        guard halcyon_tiff_reader_layout(opened, &layout) else {
            halcyon_tiff_reader_close(opened)
            throw .corrupt(.tiff, reason: "the layout of the image in the directory at byte \(directory)")
        }
        self.layout = layout
        leftOutSample = leftOutValue.map { Self.bytes(of: $0, layout) }
        handle = opened
    }

    /// Returns a sample as libtiff hands it out; a 0 for a value or a width of samples that cannot be one.
    private static func bytes(of value: Double, _ layout: HalcyonTIFFLayout) -> [UInt8] {
        func bytes(_ pattern: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: pattern) { Array($0) } }
        switch (layout.sample_format, layout.bits_per_sample) {
        case (3, 32): return bytes(Float(value).bitPattern)
        case (3, 64): return bytes(value.bitPattern)
        case (2, 8): return bytes(Int8(exactly: value) ?? 0)
        case (2, 16): return bytes(Int16(exactly: value) ?? 0)
        case (2, 32): return bytes(Int32(exactly: value) ?? 0)
        case (1, 8): return bytes(UInt8(exactly: value) ?? 0)
        case (1, 16): return bytes(UInt16(exactly: value) ?? 0)
        case (1, 32): return bytes(UInt32(exactly: value) ?? 0)
        default: return [0]
        }
    }

    deinit {
        halcyon_tiff_reader_close(handle)
    }

    var size: PixelSize { PixelSize(Int(layout.width), Int(layout.height)) }

    /// The bytes of strips, stored as they are, that a file lacks that was cut short within one. libtiff reads none of
    /// such a strip, unless zeros take their place.
    var missingByteCount: Int {
        max(0, Int(clamping: halcyon_tiff_reader_plain_end(handle)) - byteCount)
    }

    /// Returns whether the bytes of a row are there, where that is known: of strips that are not compressed.
    ///
    /// - Parameter planeCount: The planes that are read of it.
    func hasRow(_ row: Int, planeCount: Int = 1) -> Bool {
        !isPadded || (0..<planeCount).allSatisfy { halcyon_tiff_reader_has_plain_row(handle, UInt32(row), UInt16($0)) }
    }

    /// Returns whether the row could be decoded, as the functions below do for what they read.
    func readRow(_ row: Int, into out: UnsafeMutablePointer<UInt8>) -> Bool {
        fillLeftOut(column: 0, row: row, plane: 0, out, layout.segment_row_size)
            || hasRow(row) && halcyon_tiff_reader_read_row(handle, UInt32(row), out)
    }

    /// The strip or tile that holds a pixel; `out` has room for `layout.segment_size` bytes.
    func readSegment(column: Int, row: Int, plane: Int, into out: UnsafeMutablePointer<UInt8>) -> Bool {
        fillLeftOut(column: column, row: row, plane: plane, out, layout.segment_size)
            || halcyon_tiff_reader_read_segment(
                handle,
                UInt32(column),
                UInt32(row),
                UInt16(plane),
                out,
                layout.segment_size
            )
    }

    /// Writes samples where the file leaves out the strip or tile that holds a pixel (GDAL's sparse files), and returns
    /// whether it does.
    private func fillLeftOut(
        column: Int,
        row: Int,
        plane: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ byteCount: Int
    ) -> Bool {
        guard let leftOutSample,
            halcyon_tiff_reader_is_left_out(handle, UInt32(column), UInt32(row), UInt16(plane))
        else {
            return false
        }
        for index in 0..<byteCount { out[index] = leftOutSample[index % leftOutSample.count] }
        return true
    }

    func startConversion() throws(CodecError) {
        guard halcyon_tiff_reader_start_rgba(handle) else {
            throw .unsupported(.tiff, reason: message)
        }
    }

    /// Whole strips or rows of tiles as premultiplied RGBA without padding.
    func readConverted(row: Int, count: Int, into out: UnsafeMutablePointer<UInt32>) -> Bool {
        halcyon_tiff_reader_read_rgba(handle, UInt32(row), UInt32(count), out)
    }

    /// The first failure to read.
    var failure: CodecError {
        halcyon_tiff_reader_is_cut_short(handle) ? .truncated(.tiff) : .corrupt(.tiff, reason: message)
    }

    /// Forgets errors of what is not read any more, such as another way to convert the pixels.
    func forgetFailure() { halcyon_tiff_reader_forget_message(handle) }

    /// A Boolean value that indicates whether libtiff has reported an error, also one with which it goes on.
    var hasFailed: Bool { halcyon_tiff_reader_message(handle).pointee != 0 }

    private var message: String {
        hasFailed ? String(cString: halcyon_tiff_reader_message(handle)) : "its image data"
    }

    private static func reason(_ message: [CChar]) -> String {
        let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.isEmpty ? "its directory" : text
    }
}
