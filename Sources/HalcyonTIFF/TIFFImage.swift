internal import CTIFFShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Decodes the pixels of a page, as stored.
struct TIFFImage {
    private let page: TIFFPageReader
    /// `nil` where libtiff converts the samples.
    private let converter: TIFFPixelConverter?
    private let size: PixelSize
    private let damage: DamageHandling
    /// Bits of the samples handed out.
    let depth: SampleDepth

    /// - Parameters:
    ///   - page: The page, opened.
    ///   - directory: Its header.
    ///   - inkProfile: The profile of the samples, if they are four inks that are to become sRGB.
    ///   - options: Those of the decoding.
    init(
        _ page: TIFFPageReader,
        of directory: TIFFDirectory,
        inkProfile: Data?,
        options: DecodeOptions
    ) throws(CodecError) {
        let layout = page.layout
        damage = options.damage
        guard layout.has_codec else {
            throw .unsupported(.tiff, reason: "compression \(layout.compression)")
        }
        size = page.size
        // Pixels that libtiff converts have 8 bits, and their colours multiplied by alpha.
        let wanted: SampleDepth = options.keepsSixteenBits && layout.bits_per_sample > 8 ? .sixteen : .eight
        let tag = layout.photometric == .max ? nil : Int(layout.photometric)
        let photometric = TIFFPhotometric(
            tag: tag,
            compression: Int(layout.compression),
            samplesPerPixel: Int(layout.samples_per_pixel)
        )
        func converter() throws(CodecError) -> TIFFPixelConverter {
            try TIFFPixelConverter(
                layout,
                alpha: TIFFAlpha(
                    photometric: photometric,
                    samplesPerPixel: Int(layout.samples_per_pixel),
                    extraSamples: directory.extraSamples
                ),
                inkProfile: inkProfile,
                depth: wanted,
                premultiplies: options.premultiplies
            )
        }
        // Old JPEG (6) has its colours converted by libtiff, whatever they are.
        if photometric == .yCbCr || photometric == .logLuv || layout.compression == 6 {
            do throws(CodecError) {
                try page.startConversion()
                self.converter = nil
            } catch {
                // libtiff refuses coefficients that make no sense; such files mean the usual ones.
                guard layout.is_full_ycbcr else {
                    throw error
                }
                self.converter = try converter()
            }
        } else {
            self.converter = try converter()
        }
        guard self.converter == nil || Self.isLargeEnough(layout) else {
            throw .corrupt(.tiff, reason: "rows that are shorter than their samples")
        }
        guard Self.isInProportion(layout) else {
            let tile = PixelSize(Int(layout.segment_width), Int(layout.segment_height))
            throw .corrupt(.tiff, reason: "tiles of \(tile) pixels in an image of \(size)")
        }
        depth = self.converter == nil ? .eight : wanted
        self.page = page
    }

    /// Returns whether rows and strips or tiles, as libtiff measures them, hold the samples that are read from them.
    private static func isLargeEnough(_ layout: HalcyonTIFFLayout) -> Bool {
        let samplesPerRow = layout.is_planar ? 1 : Int(layout.samples_per_pixel)
        // Each factor has at most 32 bits, 16 bits and 16 bits.
        let (bitCount, overflows) = (Int(layout.segment_width) * samplesPerRow)
            .multipliedReportingOverflow(by: Int(layout.bits_per_sample))
        let rowCount = layout.is_tiled || layout.is_planar ? Int(layout.segment_height) : 1
        let (size, overflowsSize) = Int(layout.segment_row_size).multipliedReportingOverflow(by: rowCount)
        return !overflows && !overflowsSize && Int(layout.segment_row_size) >= (bitCount - 1) / 8 + 1
            && Int(layout.segment_size) >= size
    }

    /// Returns whether tiles that are larger than the image rounded up to whole ones of the least size, 16 × 16, are at
    /// least not large as such. Small versions of large images have the tiles of those.
    private static func isInProportion(_ layout: HalcyonTIFFLayout) -> Bool {
        func roundedUp(_ side: UInt32) -> Int { (Int(side) + 15) / 16 * 16 }
        return !layout.is_tiled || Int(layout.segment_width) * Int(layout.segment_height) <= 1 << 22
            || (Int(layout.segment_width) <= roundedUp(layout.width)
                && Int(layout.segment_height) <= roundedUp(layout.height))
    }

    /// Bytes that decoding takes besides the bitmap.
    var workingByteCount: Int {
        let (sum, overflows) = segmentByteCount.addingReportingOverflow(
            converter?.scratchByteCount(width: min(size.width, Int(page.layout.segment_width))) ?? 0
        )
        return overflows ? .max : sum
    }

    private var segmentByteCount: Int {
        let segment = Int(clamping: page.layout.segment_size)
        guard let converter else {
            // libtiff holds the segment, and we its pixels.
            let pixels = PixelSize(size.width, Int(page.layout.segment_height)).bitmapByteCount
            return segment.addingReportingOverflow(pixels).overflow ? .max : segment + pixels
        }
        guard usesSegments else {
            return Int(clamping: page.layout.segment_row_size)
        }
        let (sum, overflows) = segment.multipliedReportingOverflow(by: converter.planes.count)
        return overflows ? .max : sum
    }

    /// Strips that hold all samples are read by rows, so that an image in one strip takes no second buffer. Not those of
    /// PackBits: libtiff drops what is left of a run at the end of a row, and some programs write runs across rows.
    private var usesSegments: Bool {
        page.layout.is_tiled || (converter?.planes.count ?? 1) > 1 || page.layout.compression == Self.packBits
    }

    private static let packBits: UInt16 = 32_773

    func bitmap(isCancelled: () -> Bool) throws -> (Bitmap, isPartial: Bool) {
        var bitmap = try Bitmap.forDecoding(size, isOpaque: true, depth: depth)
        let bytesPerRow = bitmap.bytesPerRow
        var progress = Progress()
        page.forgetFailure()
        try bitmap.withUnsafeMutableBytes { bytes in
            guard let out = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                throw CodecError.bitmap(.invalidSize(size))
            }
            if let converter {
                try usesSegments
                    ? readSegments(converter, into: out, bytesPerRow, &progress, isCancelled)
                    : readRows(converter, into: out, bytesPerRow, &progress, isCancelled)
            } else {
                try readConverted(into: out, bytesPerRow, &progress, isCancelled)
            }
            for gap in progress.firstGaps {
                try throwIfCancelled(isCancelled)
                fill(gap, in: out, bytesPerRow)
            }
        }
        bitmap.isOpaque = progress.isOpaque
        if progress.gapCount == 0, page.hasFailed, damage == .isRefused { throw page.failure }
        return (bitmap, progress.gapCount > 0 || page.hasFailed)
    }

    /// What was read of a page so far.
    private struct Progress {
        var isOpaque = true
        /// A Boolean value that indicates whether any row or tile could be decoded.
        var hasPixels = false
        /// The strips and tiles that could not, or not all of their planes.
        var gapCount = 0
        /// Those before the first that could, which are filled only once there is one.
        var firstGaps: [PixelRect] = []
    }

    /// The strips or tiles that may be missing before the rest is not tried any more.
    private static let maximumGapCount = 4_096

    /// Passes over a region that cannot be decoded.
    ///
    /// - Throws: The reason, where damage is refused, or where nothing could be decoded and the region is the last one
    ///   that is tried.
    private func leaveOut(
        _ region: PixelRect,
        in out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ progress: inout Progress
    ) throws {
        progress.gapCount += 1
        let (origin, width) = (region.origin, region.size.width)
        let isLast = origin.y + region.size.height >= size.height && origin.x + width >= size.width
        guard damage == .showsWhatIsThere, progress.hasPixels || !isLast && progress.gapCount < Self.maximumGapCount
        else {
            throw page.failure
        }
        progress.isOpaque = progress.isOpaque && converter?.hasAlpha != true
        if progress.hasPixels {
            fill(region, in: out, bytesPerRow)
        } else {
            progress.firstGaps.append(region)
        }
    }

    /// Makes a region clear where the image has alpha, else grey.
    private func fill(_ region: PixelRect, in out: UnsafeMutablePointer<UInt8>, _ bytesPerRow: Int) {
        let (origin, width) = (region.origin, region.size.width)
        let hasAlpha = converter?.hasAlpha ?? false
        let byteCount = width * depth.bytesPerPixel
        for y in origin.y..<origin.y + region.size.height {
            let row = out + y * bytesPerRow + origin.x * depth.bytesPerPixel
            row.update(repeating: hasAlpha ? 0 : 128, count: byteCount)
            guard !hasAlpha else { continue }
            // Alpha, of one byte or of two.
            let sampleSize = depth.bytesPerPixel / 4
            for end in stride(from: depth.bytesPerPixel, through: byteCount, by: depth.bytesPerPixel) {
                for place in end - sampleSize..<end { row[place] = .max }
            }
        }
    }

    private func readRows(
        _ converter: TIFFPixelConverter,
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ progress: inout Progress,
        _ isCancelled: () -> Bool
    ) throws {
        let stripHeight = Int(page.layout.segment_height)
        let (buffer, scratch) = try buffers(
            Int(page.layout.segment_row_size),
            scratch: converter.scratchByteCount(width: size.width)
        )
        var row = 0
        while row < size.height {
            if row % 16 == 0 || row % stripHeight == 0 {
                try throwIfCancelled(isCancelled)
            }
            guard progress.gapCount < Self.maximumGapCount, page.readRow(row, into: buffer.bytes) else {
                let isHopeless = progress.gapCount >= Self.maximumGapCount
                let end = isHopeless ? size.height : min(size.height, (row / stripHeight + 1) * stripHeight)
                let region = PixelRect(x: 0, y: row, width: size.width, height: end - row)
                try leaveOut(region, in: out, bytesPerRow, &progress)
                row = end
                continue
            }
            progress.hasPixels = true
            let isRowOpaque = converter.convert(
                [UnsafePointer(buffer.bytes)],
                count: size.width,
                into: out + row * bytesPerRow,
                scratch: scratch.samples
            )
            progress.isOpaque = progress.isOpaque && isRowOpaque
            row += 1
        }
    }

    /// Reads tiles, or strips of single planes.
    private func readSegments(
        _ converter: TIFFPixelConverter,
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ progress: inout Progress,
        _ isCancelled: () -> Bool
    ) throws {
        let (width, height) = (Int(page.layout.segment_width), Int(page.layout.segment_height))
        let (segmentSize, rowSize) = (Int(page.layout.segment_size), Int(page.layout.segment_row_size))
        let columns = min(width, size.width)
        let (buffer, scratch) = try buffers(
            segmentSize * converter.planes.count,
            scratch: converter.scratchByteCount(width: columns)
        )
        for top in stride(from: 0, to: size.height, by: height) {
            for left in stride(from: 0, to: size.width, by: width) {
                try throwIfCancelled(isCancelled)
                let (count, rowCount) = (min(width, size.width - left), min(height, size.height - top))
                let isTried = progress.gapCount < Self.maximumGapCount
                let planeCount = isTried ? readPlanes(converter, column: left, row: top, into: buffer) : 0
                let hasAllPlanes = planeCount == converter.planes.count
                guard hasAllPlanes || planeCount > 0 && damage == .showsWhatIsThere else {
                    let region = PixelRect(x: left, y: top, width: count, height: rowCount)
                    try leaveOut(region, in: out, bytesPerRow, &progress)
                    continue
                }
                progress.hasPixels = true
                progress.gapCount += hasAllPlanes ? 0 : 1
                for row in 0..<rowCount {
                    let rows = converter.planes.indices.map {
                        UnsafePointer(buffer.bytes + $0 * segmentSize + row * rowSize)
                    }
                    let pixels = out + (top + row) * bytesPerRow + left * depth.bytesPerPixel
                    let isRowOpaque = converter.convert(rows, count: count, into: pixels, scratch: scratch.samples)
                    progress.isOpaque = progress.isOpaque && isRowOpaque
                }
            }
        }
    }

    /// Reads the planes of a strip or tile, of which one that cannot be decoded is as far there as it goes, and 0 behind.
    ///
    /// - Returns: The number of planes that are whole.
    private func readPlanes(
        _ converter: TIFFPixelConverter,
        column: Int,
        row: Int,
        into buffer: PixelBuffer
    ) -> Int {
        let segmentSize = Int(page.layout.segment_size)
        return converter.planes.enumerated().reduce(0) { count, element in
            let segment = buffer.bytes + element.offset * segmentSize
            // What libtiff leaves out would be that of the segment before.
            segment.update(repeating: 0, count: segmentSize)
            let isRead = page.readSegment(column: column, row: row, plane: element.element, into: segment)
            return count + (isRead ? 1 : 0)
        }
    }

    private func readConverted(
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ progress: inout Progress,
        _ isCancelled: () -> Bool
    ) throws {
        let height = min(size.height, Int(page.layout.segment_height))
        let (buffer, _) = try buffers(size.width * height * 4, scratch: 1)
        let words = UnsafeMutableRawPointer(buffer.bytes).assumingMemoryBound(to: UInt32.self)
        // libtiff reads no more than three colours and alpha.
        let planeCount = page.layout.is_planar ? min(4, Int(page.layout.samples_per_pixel)) : 1
        for top in stride(from: 0, to: size.height, by: height) {
            try throwIfCancelled(isCancelled)
            let count = min(height, size.height - top)
            guard progress.gapCount < Self.maximumGapCount, page.readConverted(row: top, count: count, into: words)
            else {
                let region = PixelRect(x: 0, y: top, width: size.width, height: count)
                try leaveOut(region, in: out, bytesPerRow, &progress)
                continue
            }
            let rowCount = (0..<count).first { !page.hasRow(top + $0, planeCount: planeCount) } ?? count
            progress.hasPixels = progress.hasPixels || rowCount > 0
            for row in 0..<rowCount {
                let pixels = buffer.bytes + row * size.width * 4
                (out + (top + row) * bytesPerRow).update(from: pixels, count: size.width * 4)
            }
            if rowCount < count {
                let rest = PixelRect(x: 0, y: top + rowCount, width: size.width, height: count - rowCount)
                try leaveOut(rest, in: out, bytesPerRow, &progress)
            }
        }
    }

    /// Returns zeroed memory aligned for every kind of sample: what a damaged file leaves out reads as 0.
    private func buffers(
        _ byteCount: Int,
        scratch scratchByteCount: Int
    ) throws(CodecError) -> (bytes: PixelBuffer, scratch: PixelBuffer) {
        do {
            let buffers = try (
                bytes: PixelBuffer(byteCount: byteCount), scratch: PixelBuffer(byteCount: scratchByteCount)
            )
            buffers.bytes.bytes.update(repeating: 0, count: byteCount)
            return buffers
        } catch {
            throw .bitmap(error)
        }
    }

    private func throwIfCancelled(_ isCancelled: () -> Bool) throws {
        if isCancelled() {
            throw CancellationError()
        }
    }
}

extension PixelBuffer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8> { pointer.assumingMemoryBound(to: UInt8.self) }
    fileprivate var samples: UnsafeMutablePointer<UInt16> { pointer.assumingMemoryBound(to: UInt16.self) }
}
