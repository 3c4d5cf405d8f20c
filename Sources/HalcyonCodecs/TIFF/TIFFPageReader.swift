#if TIFF
internal import CTIFFShim
internal import HalcyonRaster

/// One page opened by libtiff. A class, because libtiff's handle needs one owner that closes it.
final class TIFFPageReader {
    let layout: HalcyonTIFFLayout
    private let handle: OpaquePointer

    /// Opens the directory at an offset. `bytes` must outlive this value.
    init(_ bytes: UnsafeRawBufferPointer, directory: Int, memoryLimit: Int) throws(CodecError) {
        var message = [CChar](repeating: 0, count: 256)
        let opened = halcyon_tiff_reader_open(
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count,
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
        handle = opened
    }

    deinit {
        halcyon_tiff_reader_close(handle)
    }

    var size: PixelSize { PixelSize(Int(layout.width), Int(layout.height)) }

    func readRow(_ row: Int, into out: UnsafeMutablePointer<UInt8>) throws(CodecError) {
        guard halcyon_tiff_reader_read_row(handle, UInt32(row), out) else {
            throw failure()
        }
    }

    /// The strip or tile that holds a pixel; `out` has room for `layout.segment_size` bytes.
    func readSegment(column: Int, row: Int, plane: Int, into out: UnsafeMutablePointer<UInt8>) throws(CodecError) {
        let isRead = halcyon_tiff_reader_read_segment(
            handle,
            UInt32(column),
            UInt32(row),
            UInt16(plane),
            out,
            layout.segment_size
        )
        guard isRead else {
            throw failure()
        }
    }

    func startConversion() throws(CodecError) {
        guard halcyon_tiff_reader_start_rgba(handle) else {
            throw .unsupported(.tiff, reason: message)
        }
    }

    /// Whole strips or rows of tiles as premultiplied RGBA without padding.
    func readConverted(row: Int, count: Int, into out: UnsafeMutablePointer<UInt32>) throws(CodecError) {
        guard halcyon_tiff_reader_read_rgba(handle, UInt32(row), UInt32(count), out) else {
            throw failure()
        }
    }

    private func failure() -> CodecError {
        halcyon_tiff_reader_is_cut_short(handle) ? .truncated(.tiff) : .corrupt(.tiff, reason: message)
    }

    private var message: String {
        let message = String(cString: halcyon_tiff_reader_message(handle))
        return message.isEmpty ? "its image data" : message
    }

    private static func reason(_ message: [CChar]) -> String {
        let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.isEmpty ? "its directory" : text
    }
}
#endif
