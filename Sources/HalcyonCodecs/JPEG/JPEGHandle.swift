internal import CJPEGShim
internal import HalcyonRaster

/// A decoder of libjpeg that has read the header of a file.
struct JPEGHandle: ~Copyable {
    let pointer: OpaquePointer
    /// The size of the decoded rows.
    let size: PixelSize
    /// A Boolean value that indicates whether the image comes in scans, and not row by row.
    let hasMultipleScans: Bool

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - pointer: A decoder, which the handle destroys, also where it throws; `nil` if there was no memory for it.
    ///   - keepsInks: `true` if rows of four components are to be shares of ink, and not converted to RGB.
    ///   - toleratesLoss: `true` if missing and damaged data are grey, and no error.
    ///   - memoryLimit: The bytes that libjpeg may take for a whole image.
    ///   - maximumScanCount: The number of scans that are read; more are an error.
    init(
        _ pointer: OpaquePointer?,
        scale: JPEGScale,
        keepsInks: Bool,
        toleratesLoss: Bool,
        memoryLimit: Int,
        maximumScanCount: Int32
    ) throws(CodecError) {
        guard let pointer else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        var layout = HalcyonJPEGLayout()
        let limit = Int64(memoryLimit)
        let status = halcyon_jpeg_decoder_open(
            pointer,
            scale.eighths,
            keepsInks,
            toleratesLoss,
            limit,
            maximumScanCount,
            &layout
        )
        let size = PixelSize(Int(layout.width), Int(layout.height))
        var failure = CodecError(status, of: pointer)
        if failure == nil, size != scale.size {
            // The limits were checked for the size in the header.
            failure = .corrupt(.jpeg, reason: "two sizes in one file: \(size) and \(scale.size)")
        }
        if let failure {
            halcyon_jpeg_decoder_destroy(pointer)
            throw failure
        }
        self.pointer = pointer
        self.size = size
        hasMultipleScans = layout.has_multiple_scans
    }

    /// A Boolean value that indicates whether data were missing or damaged so far, so that pixels are grey or wrong.
    var hasLostData: Bool { halcyon_jpeg_decoder_has_lost_data(pointer) }

    deinit {
        halcyon_jpeg_decoder_destroy(pointer)
    }

    /// Throws the error for a status, unless that is success.
    func check(_ status: HalcyonJPEGStatus) throws(CodecError) {
        if let error = CodecError(status, of: pointer) { throw error }
    }
}

extension CodecError {
    /// Creates the error for a status of a decoder; `nil` for success.
    fileprivate init?(_ status: HalcyonJPEGStatus, of decoder: OpaquePointer) {
        // libjpeg's own description.
        var message: String { String(cString: halcyon_jpeg_decoder_message(decoder)) }
        switch status {
        case HALCYON_JPEG_OK: return nil
        case HALCYON_JPEG_TRUNCATED: self = .truncated(.jpeg)
        case HALCYON_JPEG_UNSUPPORTED: self = .unsupported(.jpeg, reason: message)
        case HALCYON_JPEG_OUT_OF_MEMORY: self = .bitmap(.outOfMemory(byteCount: 0))
        case HALCYON_JPEG_TOO_MANY_SCANS: self = .unsupported(.jpeg, reason: "too many scans")
        default: self = .corrupt(.jpeg, reason: message)
        }
    }
}
