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

    private let handle: OpaquePointer
    /// The size of the decoded rows.
    let size: PixelSize
    /// A Boolean value that indicates whether the image comes in scans, and not row by row.
    let hasMultipleScans: Bool
    /// The number of scans that have arrived as a whole.
    private(set) var scanCount = 0
    private let maximumScanCount: Int32

    /// Reads the header, which `beginning` must hold as a whole, with that of the first scan. The bytes are copied.
    ///
    /// - Parameters: As for ``JPEGDecompressor``.
    init(
        _ beginning: Data,
        scale: JPEGScale,
        keepsInks: Bool,
        memoryLimit: Int,
        maximumScanCount: Int32
    ) throws(CodecError) {
        guard let handle = halcyon_jpeg_stream_create() else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        var layout = HalcyonJPEGLayout()
        var status = beginning.withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                .map { halcyon_jpeg_stream_append(handle, $0, bytes.count) } ?? HALCYON_JPEG_TRUNCATED
        }
        if status == HALCYON_JPEG_OK {
            let limit = Int64(memoryLimit)
            status = halcyon_jpeg_stream_open(handle, scale.eighths, keepsInks, limit, maximumScanCount, &layout)
        }
        let size = PixelSize(Int(layout.width), Int(layout.height))
        var failure = Self.error(for: status, of: handle, maximumScanCount: maximumScanCount)
        if failure == nil, size != scale.size {
            // The limits were checked for the size in the header.
            failure = .corrupt(.jpeg, reason: "two sizes in one file: \(size) and \(scale.size)")
        }
        if let failure {
            halcyon_jpeg_stream_destroy(handle)
            throw failure
        }
        self.handle = handle
        self.size = size
        self.maximumScanCount = maximumScanCount
        hasMultipleScans = layout.has_multiple_scans
    }

    deinit {
        halcyon_jpeg_stream_destroy(handle)
    }

    /// Copies bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        try check(halcyon_jpeg_stream_append(handle, start, bytes.count))
    }

    /// Says that no more bytes come.
    func end() {
        halcyon_jpeg_stream_end(handle)
    }

    /// Reads up to `rowCount` rows of blocks of a file with several scans.
    mutating func absorb(_ rowCount: Int) throws(CodecError) -> Absorption {
        var absorption = HalcyonJPEGAbsorption()
        try check(halcyon_jpeg_stream_absorb(handle, Int32(rowCount), &absorption))
        scanCount = max(0, Int(absorption.scan_count))
        return absorption.is_complete ? .isComplete : absorption.needs_bytes ? .needsBytes : .goesOn
    }

    /// Begins to write the image as of the last scan that has arrived.
    func startScan() throws(CodecError) {
        try check(halcyon_jpeg_stream_start_scan(handle, Int32(scanCount)))
    }

    /// Ends what ``startScan()`` began, after all rows.
    func finishScan() throws(CodecError) {
        try check(halcyon_jpeg_stream_finish_scan(handle))
    }

    /// Writes up to `rowCount` rows of RGBA, or of inks; returns their number, which is less where the bytes at hand
    /// end.
    func read(_ rowCount: Int, into rows: UnsafeMutableRawBufferPointer, bytesPerRow: Int) throws(CodecError) -> Int {
        precondition(rows.count >= (rowCount - 1) * bytesPerRow + size.width * 4)
        let pointer = rows.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count: Int32 = 0
        try check(halcyon_jpeg_stream_read_rows(handle, pointer, bytesPerRow, Int32(rowCount), &count))
        return Int(count)
    }

    private func check(_ status: HalcyonJPEGStatus) throws(CodecError) {
        if let error = Self.error(for: status, of: handle, maximumScanCount: maximumScanCount) { throw error }
    }

    private static func error(
        for status: HalcyonJPEGStatus,
        of handle: OpaquePointer,
        maximumScanCount: Int32
    ) -> CodecError? {
        CodecError(status, maximumScanCount: maximumScanCount) {
            String(cString: halcyon_jpeg_stream_message(handle))
        }
    }
}
