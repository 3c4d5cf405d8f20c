internal import FoundationEssentials
internal import HalcyonRaster

/// Reads a JPEG while its bytes arrive: one of several scans by scans, each of which sharpens the whole image, others
/// by rows.
///
/// A scan counts once the next one begins, as libjpeg writes no scan that has gaps.
final class JPEGIncrementalReader: IncrementalReading {
    private let header: JPEGHeader
    private let orientation: Orientation
    private let inks: ColorSpaceConversion?
    private let partialEdges: PartialEdges
    private var stream: JPEGByteStream
    /// The rows so far of an image that comes by rows.
    private var rows: Bitmap?
    private var rowCount = 0
    /// A Boolean value that indicates whether the whole file would be decoded by libjpeg as well, with the same settings.
    private let sharesWay: Bool
    private(set) var progress = IncrementalProgress()

    /// - Parameters:
    ///   - beginning: The file up to the first scan's header at least.
    ///   - scale: The scale of the rows, for which the limits were checked.
    init(_ beginning: Data, _ header: JPEGHeader, scale: JPEGScale, options: DecodeOptions) throws {
        self.header = header
        orientation = options.appliedOrientation(of: header.orientation)
        inks = options.convertsInks ? header.inkProfile.flatMap { ColorSpaceConversion.cached(for: $0) } : nil
        partialEdges = scale.partialEdges
        // Of the others, some are read without libjpeg.
        let isReadByLibjpeg = header.hasMultipleScans || scale.eighths > 4
        sharesWay = isReadByLibjpeg && !options.usesEmbeddedThumbnail
        let coefficientByteCount = header.hasMultipleScans ? header.coefficientByteCount : 0
        stream = try JPEGByteStream(
            beginning,
            scale: scale,
            keepsInks: inks != nil,
            toleratesLoss: options.damage == .showsWhatIsThere,
            memoryLimit: coefficientByteCount + header.workingByteCount,
            maximumScanCount: JPEGDecoder.maximumScanCount
        )
        if !stream.hasMultipleScans { rows = try Bitmap(size: stream.size) }
    }

    /// What libjpeg makes of a damaged place may depend on the bytes that are there by then.
    var matchesWholeDecoding: Bool { sharesWay && !stream.isDamaged }

    func append(_ bytes: Data) throws {
        // What follows the image is of no use.
        guard !progress.isComplete else { return }
        try bytes.withUnsafeBytes { bytes in try stream.append(bytes) }
    }

    func end() {
        stream.end()
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        try stream.hasMultipleScans ? absorbScan(isCancelled) : readRows(isCancelled)
    }

    private func absorbScan(_ isCancelled: () -> Bool) throws -> Bool {
        while true {
            if isCancelled() { throw CancellationError() }
            let absorption = try stream.absorb(JPEGDecoder.rowsPerStep)
            let hasNewScan = stream.scanCount > progress.passCount
            progress.passCount = stream.scanCount
            if progress.passCount > 0 { progress.coverage = 1 }
            switch absorption {
            case .isComplete:
                progress.isComplete = true
                progress.coverage = 1
                return false
            case .needsBytes: return false
            case .goesOn: if hasNewScan { return true }
            }
        }
    }

    private func readRows(_ isCancelled: () -> Bool) throws -> Bool {
        let height = stream.size.height
        while rowCount < height {
            if isCancelled() { throw CancellationError() }
            let wanted = min(JPEGDecoder.rowsPerStep, height - rowCount)
            let count = try rows?.readRows(from: stream, at: rowCount, count: wanted, inks: inks) ?? 0
            rowCount += count
            progress.coverage = Double(rowCount) / Double(height)
            if count < wanted { return false }
        }
        progress.isComplete = true
        rows?.isOpaque = true
        return false
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var bitmap = try rows ?? scan(isCancelled)
        bitmap.partialEdges = partialEdges
        return DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size),
            colorProfile: header.colorProfile,
            isPartial: stream.hasLostData
        )
    }

    /// Returns the image as of the last scan that has arrived.
    private func scan(_ isCancelled: () -> Bool) throws -> Bitmap {
        var bitmap = try Bitmap.forDecoding(stream.size, isOpaque: true)
        try stream.startScan()
        for row in stride(from: 0, to: stream.size.height, by: JPEGDecoder.rowsPerStep) {
            if isCancelled() { throw CancellationError() }
            let count = min(JPEGDecoder.rowsPerStep, stream.size.height - row)
            guard try bitmap.readRows(from: stream, at: row, count: count, inks: inks) == count else {
                throw CodecError.truncated(.jpeg)
            }
        }
        try stream.finishScan()
        return bitmap
    }
}

extension Bitmap {
    /// Writes rows of a stream; returns their number.
    fileprivate mutating func readRows(
        from stream: borrowing JPEGByteStream,
        at row: Int,
        count: Int,
        inks: ColorSpaceConversion?
    ) throws(CodecError) -> Int {
        let (width, bytesPerRow) = (width, bytesPerRow)
        return try withUnsafeMutableBytes { pixels throws(CodecError) in
            let rows = UnsafeMutableRawBufferPointer(rebasing: pixels[(row * bytesPerRow)...])
            let count = try stream.read(count, into: rows, bytesPerRow: bytesPerRow)
            if let inks, let start = rows.assumingMemoryBound(to: UInt8.self).baseAddress {
                for index in 0..<count { inks.convert(start + index * bytesPerRow, count: width) }
            }
            return count
        }
    }
}
