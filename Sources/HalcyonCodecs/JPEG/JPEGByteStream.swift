internal import CJPEGShim
internal import FoundationEssentials
internal import HalcyonRaster

/// One decompression by libjpeg of bytes that come piece by piece.
struct JPEGByteStream: ~Copyable {
    /// How far ``absorb(_:)`` has come.
    enum Absorption {
        /// There is more to read.
        case goesOn
        /// The bytes at hand end.
        case needsBytes
        /// The image has been read.
        case isComplete
    }

    private let handle: JPEGHandle
    /// The number of scans that have arrived as a whole.
    private(set) var scanCount = 0

    /// Reads the header, which `beginning` must hold as a whole, with that of the first scan. The bytes are copied.
    ///
    /// - Parameters: As for ``JPEGDecompressor``.
    init(
        _ beginning: Data,
        scale: JPEGScale,
        keepsInks: Bool,
        toleratesLoss: Bool,
        memoryLimit: Int,
        maximumScanCount: Int32
    ) throws(CodecError) {
        let pointer = beginning.withUnsafeBytes { bytes in
            halcyon_jpeg_stream_create(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        }
        handle = try JPEGHandle(
            pointer,
            scale: scale,
            keepsInks: keepsInks,
            toleratesLoss: toleratesLoss,
            memoryLimit: memoryLimit,
            maximumScanCount: maximumScanCount
        )
    }

    /// The size of the decoded rows.
    var size: PixelSize { handle.size }

    /// A Boolean value that indicates whether the image comes in scans, and not row by row.
    var hasMultipleScans: Bool { handle.hasMultipleScans }

    /// A Boolean value that indicates whether libjpeg has warned of damage so far.
    var isDamaged: Bool { halcyon_jpeg_stream_is_damaged(handle.pointer) }

    /// A Boolean value that indicates whether data were missing or damaged so far, so that pixels are grey or wrong.
    var hasLostData: Bool { handle.hasLostData }

    /// Copies bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        try handle.check(halcyon_jpeg_stream_append(handle.pointer, start, bytes.count))
    }

    /// Says that no more bytes come.
    func end() {
        halcyon_jpeg_stream_end(handle.pointer)
    }

    /// Reads up to `rowCount` rows of blocks of a file with several scans.
    mutating func absorb(_ rowCount: Int) throws(CodecError) -> Absorption {
        var absorption = HalcyonJPEGAbsorption()
        try handle.check(halcyon_jpeg_stream_absorb(handle.pointer, Int32(rowCount), &absorption))
        scanCount = max(0, Int(absorption.scan_count))
        return absorption.is_complete ? .isComplete : absorption.needs_bytes ? .needsBytes : .goesOn
    }

    /// Begins to write the image as of the last scan that has arrived.
    func startScan() throws(CodecError) {
        try handle.check(halcyon_jpeg_stream_start_scan(handle.pointer, Int32(scanCount)))
    }

    /// Ends what ``startScan()`` began, after all rows.
    func finishScan() throws(CodecError) {
        try handle.check(halcyon_jpeg_stream_finish_scan(handle.pointer))
    }

    /// Writes up to `rowCount` rows of RGBA, or of inks; returns their number, which is less where the bytes at hand
    /// end.
    func read(_ rowCount: Int, into rows: UnsafeMutableRawBufferPointer, bytesPerRow: Int) throws(CodecError) -> Int {
        precondition(rows.count >= (rowCount - 1) * bytesPerRow + size.width * 4)
        let pointer = rows.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count: Int32 = 0
        try handle.check(halcyon_jpeg_stream_read_rows(handle.pointer, pointer, bytesPerRow, Int32(rowCount), &count))
        return Int(count)
    }
}
