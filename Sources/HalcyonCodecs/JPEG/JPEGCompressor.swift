internal import CJPEGShim
internal import FoundationEssentials
internal import HalcyonRaster

/// A file on its way through libjpeg. A class, because the compressor needs one owner that frees it.
final class JPEGCompressor {
    private let handle: OpaquePointer

    /// - Parameter sample: A finished compressor of a part of the image, whose tables are taken.
    init(_ settings: HalcyonJPEGSettings, tablesOf sample: JPEGCompressor? = nil) throws(CodecError) {
        guard let handle = halcyon_jpeg_encoder_create() else {
            throw .cannotEncode(.jpeg, reason: "out of memory")
        }
        self.handle = handle
        try check(halcyon_jpeg_encoder_start(handle, settings, sample?.handle))
    }

    deinit {
        halcyon_jpeg_encoder_destroy(handle)
    }

    /// Writes a segment, before the first row.
    func write(_ segment: JPEGSegments.Segment) throws(CodecError) {
        let status = segment.payload.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return halcyon_jpeg_encoder_write_segment(handle, UInt8(segment.marker), start, bytes.count)
        }
        try check(status)
    }

    func write(_ rows: JPEGRows, _ range: Range<Int>) throws(CodecError) {
        try rows.forEachGroup(range) { start, bytesPerRow, count throws(CodecError) in
            try check(halcyon_jpeg_encoder_write_rows(handle, start, bytesPerRow, Int32(count)))
        }
    }

    /// The whole file.
    func finish() throws(CodecError) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        try check(halcyon_jpeg_encoder_finish(handle, &bytes, &count))
        guard let bytes else { throw .cannotEncode(.jpeg, reason: "no bytes") }
        return try Data.written(bytes, count: count)
    }

    private func check(_ status: HalcyonJPEGStatus) throws(CodecError) {
        if status != HALCYON_JPEG_OK {
            throw .cannotEncode(.jpeg, reason: String(cString: halcyon_jpeg_encoder_message(handle)))
        }
    }
}
