#if TIFF
internal import CTIFFShim
internal import HalcyonRaster

/// Decodes the pixels of a page, as stored.
struct TIFFImage {
    private let page: TIFFPageReader
    /// `nil` where libtiff converts the samples.
    private let converter: TIFFPixelConverter?
    private let size: PixelSize
    /// Bits of the samples handed out.
    let depth: SampleDepth

    init(_ page: TIFFPageReader, options: DecodeOptions) throws(CodecError) {
        let layout = page.layout
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
        // Old JPEG (6) has its colours converted by libtiff, whatever they are.
        if photometric == .converted || layout.compression == 6 {
            do throws(CodecError) {
                try page.startConversion()
                converter = nil
            } catch {
                // libtiff refuses coefficients that make no sense; such files mean the usual ones.
                guard layout.is_full_ycbcr else {
                    throw error
                }
                converter = try TIFFPixelConverter(layout, depth: wanted, premultiplies: options.premultiplies)
            }
        } else {
            converter = try TIFFPixelConverter(layout, depth: wanted, premultiplies: options.premultiplies)
        }
        guard converter == nil || Self.isLargeEnough(layout) else {
            throw .corrupt(.tiff, reason: "rows that are shorter than their samples")
        }
        depth = converter == nil ? .eight : wanted
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

    /// Bytes that decoding takes besides the bitmap.
    var workingByteCount: Int {
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

    /// Strips that hold all samples are read by rows, so that an image in one strip takes no second buffer.
    private var usesSegments: Bool { page.layout.is_tiled || (converter?.planes.count ?? 1) > 1 }

    func bitmap(isCancelled: () -> Bool) throws -> Bitmap {
        var bitmap = try Bitmap.forDecoding(size, isOpaque: true, depth: depth)
        let bytesPerRow = bitmap.bytesPerRow
        let isOpaque = try bitmap.withUnsafeMutableBytes { bytes in
            guard let out = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                throw CodecError.bitmap(.invalidSize(size))
            }
            guard let converter else {
                return try readConverted(into: out, bytesPerRow, isCancelled)
            }
            return try usesSegments
                ? readSegments(converter, into: out, bytesPerRow, isCancelled)
                : readRows(converter, into: out, bytesPerRow, isCancelled)
        }
        bitmap.isOpaque = isOpaque
        return bitmap
    }

    private func readRows(
        _ converter: TIFFPixelConverter,
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ isCancelled: () -> Bool
    ) throws -> Bool {
        var isOpaque = true
        let rowSize = Int(page.layout.segment_row_size)
        try withBuffers(rowSize, converter.scratchCount(width: size.width)) { buffer, scratch in
            for row in 0..<size.height {
                if row % 16 == 0 {
                    try throwIfCancelled(isCancelled)
                }
                try page.readRow(row, into: buffer)
                let isRowOpaque = converter.convert(
                    [UnsafePointer(buffer)],
                    count: size.width,
                    into: out + row * bytesPerRow,
                    scratch: scratch
                )
                isOpaque = isOpaque && isRowOpaque
            }
        }
        return isOpaque
    }

    /// Reads tiles, or strips of single planes.
    private func readSegments(
        _ converter: TIFFPixelConverter,
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ isCancelled: () -> Bool
    ) throws -> Bool {
        var isOpaque = true
        let (width, height) = (Int(page.layout.segment_width), Int(page.layout.segment_height))
        let (segmentSize, rowSize) = (Int(page.layout.segment_size), Int(page.layout.segment_row_size))
        let columns = min(width, size.width)
        try withBuffers(segmentSize * converter.planes.count, converter.scratchCount(width: columns)) {
            buffer,
            scratch in
            for top in stride(from: 0, to: size.height, by: height) {
                for left in stride(from: 0, to: size.width, by: width) {
                    try throwIfCancelled(isCancelled)
                    for (number, plane) in converter.planes.enumerated() {
                        let segment = buffer + number * segmentSize
                        try page.readSegment(column: left, row: top, plane: plane, into: segment)
                    }
                    let count = min(width, size.width - left)
                    for row in 0..<min(height, size.height - top) {
                        let rows = converter.planes.indices.map {
                            UnsafePointer(buffer + $0 * segmentSize + row * rowSize)
                        }
                        let pixels = out + (top + row) * bytesPerRow + left * depth.bytesPerPixel
                        let isRowOpaque = converter.convert(rows, count: count, into: pixels, scratch: scratch)
                        isOpaque = isOpaque && isRowOpaque
                    }
                }
            }
        }
        return isOpaque
    }

    private func readConverted(
        into out: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int,
        _ isCancelled: () -> Bool
    ) throws -> Bool {
        let height = min(size.height, Int(page.layout.segment_height))
        try withBuffers(size.width * height * 4, 1) { buffer, _ in
            let words = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: UInt32.self)
            for top in stride(from: 0, to: size.height, by: height) {
                try throwIfCancelled(isCancelled)
                let count = min(height, size.height - top)
                try page.readConverted(row: top, count: count, into: words)
                for row in 0..<count {
                    (out + (top + row) * bytesPerRow).update(from: buffer + row * size.width * 4, count: size.width * 4)
                }
            }
        }
        return true
    }

    /// Lends zeroed memory aligned for every kind of sample: what a damaged file leaves out reads as 0.
    private func withBuffers(
        _ byteCount: Int,
        _ scratchCount: Int,
        _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt16>) throws -> Void
    ) throws {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        let scratch = UnsafeMutablePointer<UInt16>.allocate(capacity: scratchCount)
        defer {
            bytes.deallocate()
            scratch.deallocate()
        }
        let buffer = bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        try body(buffer, scratch)
    }

    private func throwIfCancelled(_ isCancelled: () -> Bool) throws {
        if isCancelled() {
            throw CancellationError()
        }
    }
}
#endif
