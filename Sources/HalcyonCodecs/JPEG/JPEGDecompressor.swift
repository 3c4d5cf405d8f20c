internal import CJPEGShim
internal import HalcyonRaster

/// One decompression by libjpeg, from open to close.
struct JPEGDecompressor: ~Copyable {
    private let handle: JPEGHandle

    /// Reads the header. `bytes` must outlive this value.
    ///
    /// With `keepsInks`, the rows of four components are shares of ink and not converted to RGB; with `toleratesLoss`,
    /// missing and damaged data are grey, and no error.
    init(
        _ bytes: UnsafeRawBufferPointer,
        scale: JPEGScale,
        keepsInks: Bool = false,
        toleratesLoss: Bool = false,
        memoryLimit: Int,
        maximumScanCount: Int32
    ) throws(CodecError) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        handle = try JPEGHandle(
            halcyon_jpeg_decoder_create(start, bytes.count),
            scale: scale,
            keepsInks: keepsInks,
            toleratesLoss: toleratesLoss,
            memoryLimit: memoryLimit,
            maximumScanCount: maximumScanCount
        )
    }

    /// The size of the decoded rows.
    var size: PixelSize { handle.size }

    /// A Boolean value that indicates whether ``absorb(_:)`` has to be called until it returns `true` before rows can
    /// be read.
    var hasMultipleScans: Bool { handle.hasMultipleScans }

    /// A Boolean value that indicates whether data were missing or damaged so far, so that pixels are grey or wrong.
    var hasLostData: Bool { handle.hasLostData }

    /// Reads up to `rowCount` rows of blocks of a file with several scans; returns whether all have been read.
    func absorb(_ rowCount: Int) throws(CodecError) -> Bool {
        var isComplete = false
        try handle.check(halcyon_jpeg_decoder_absorb(handle.pointer, Int32(rowCount), &isComplete))
        return isComplete
    }

    /// Writes the next `rowCount` rows of RGBA, or of inks.
    func read(_ rowCount: Int, into rows: UnsafeMutableRawBufferPointer, bytesPerRow: Int) throws(CodecError) {
        precondition(rows.count >= (rowCount - 1) * bytesPerRow + size.width * 4)
        let pointer = rows.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try handle.check(halcyon_jpeg_decoder_read_rows(handle.pointer, pointer, bytesPerRow, Int32(rowCount)))
    }
}
