internal import CJPEGShim
internal import HalcyonRaster

/// One decompression by libjpeg, from open to close.
struct JPEGDecompressor: ~Copyable {
    private let handle: OpaquePointer
    /// The size of the decoded rows.
    let size: PixelSize
    /// A Boolean value that indicates whether ``absorb(_:)`` has to be called until it returns `true` before rows can
    /// be read.
    let hasMultipleScans: Bool
    private let maximumScanCount: Int32

    /// Reads the header. `bytes` must outlive this value.
    ///
    /// With `keepsInks`, the rows of four components are shares of ink and not converted to RGB.
    init(
        _ bytes: UnsafeRawBufferPointer,
        scale: JPEGScale,
        keepsInks: Bool = false,
        memoryLimit: Int,
        maximumScanCount: Int32
    ) throws(CodecError) {
        guard let handle = halcyon_jpeg_decoder_create() else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        var layout = HalcyonJPEGLayout()
        let status = halcyon_jpeg_decoder_open(
            handle,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count,
            scale.eighths,
            keepsInks,
            Int64(memoryLimit),
            maximumScanCount,
            &layout
        )
        let size = PixelSize(Int(layout.width), Int(layout.height))
        var failure = Self.error(for: status, of: handle, maximumScanCount: maximumScanCount)
        if failure == nil, size != scale.size {
            // The limits were checked for the size in the header.
            failure = .corrupt(.jpeg, reason: "two sizes in one file: \(size) and \(scale.size)")
        }
        if let failure {
            halcyon_jpeg_decoder_destroy(handle)
            throw failure
        }
        self.handle = handle
        self.size = size
        self.maximumScanCount = maximumScanCount
        hasMultipleScans = layout.has_multiple_scans
    }

    deinit {
        halcyon_jpeg_decoder_destroy(handle)
    }

    /// Reads up to `rowCount` rows of blocks of a file with several scans; returns whether all have been read.
    func absorb(_ rowCount: Int) throws(CodecError) -> Bool {
        var isComplete = false
        try check(halcyon_jpeg_decoder_absorb(handle, Int32(rowCount), &isComplete))
        return isComplete
    }

    /// Writes the next `rowCount` rows of RGBA, or of inks.
    func read(_ rowCount: Int, into rows: UnsafeMutableRawBufferPointer, bytesPerRow: Int) throws(CodecError) {
        precondition(rows.count >= (rowCount - 1) * bytesPerRow + size.width * 4)
        let pointer = rows.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try check(halcyon_jpeg_decoder_read_rows(handle, pointer, bytesPerRow, Int32(rowCount)))
    }

    private func check(_ status: HalcyonJPEGStatus) throws(CodecError) {
        if let error = Self.error(for: status, of: handle, maximumScanCount: maximumScanCount) {
            throw error
        }
    }

    private static func error(
        for status: HalcyonJPEGStatus,
        of handle: OpaquePointer,
        maximumScanCount: Int32
    ) -> CodecError? {
        CodecError(status, maximumScanCount: maximumScanCount) {
            String(cString: halcyon_jpeg_decoder_message(handle))
        }
    }
}

extension CodecError {
    /// Creates the error for a status of the decompressor; `nil` for success.
    ///
    /// - Parameter message: Returns libjpeg's own description.
    init?(_ status: HalcyonJPEGStatus, maximumScanCount: Int32, message: () -> String) {
        switch status {
        case HALCYON_JPEG_OK: return nil
        case HALCYON_JPEG_TRUNCATED: self = .truncated(.jpeg)
        case HALCYON_JPEG_UNSUPPORTED: self = .unsupported(.jpeg, reason: message())
        case HALCYON_JPEG_OUT_OF_MEMORY: self = .bitmap(.outOfMemory(byteCount: 0))
        case HALCYON_JPEG_TOO_MANY_SCANS: self = .unsupported(.jpeg, reason: "more than \(maximumScanCount) scans")
        default: self = .corrupt(.jpeg, reason: message())
        }
    }
}
