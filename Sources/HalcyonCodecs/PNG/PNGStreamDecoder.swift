internal import CPNGKernels
internal import FoundationEssentials
internal import HalcyonRaster

/// Decodes one stream of a file, the default image or a frame, into a bitmap of its own size.
struct PNGStreamDecoder {
    /// Kernels read up to 4 bytes behind a row.
    static let slack = 64
    /// Deflate cannot make more than 1,032 bytes of one (RFC 1951, 3.2.5: 258 bytes for two codes of one bit each).
    private static let greatestExpansion = 1032
    /// Rows between two questions whether to go on.
    private static let rowsPerPoll = 16
    /// The longest stream that is decompressed at once, which takes about a quarter of a second that nobody can end;
    /// longer ones are decompressed row by row.
    private static let greatestStreamByteCount = 1 << 28

    let bytes: UnsafeRawBufferPointer
    let file: PNGFile
    let expander: PNGPixelExpander
    /// Used instead where the result has 16 bits a sample.
    let wideExpander: PNGWideExpander?
    private let premultiplies: Bool
    private let toleratesDamage: Bool
    let isCancelled: @Sendable () -> Bool

    /// A decoder of results with 8 bits a sample, or with 16 if the file has those; these are always premultiplied.
    init(
        _ bytes: UnsafeRawBufferPointer,
        _ file: PNGFile,
        depth: SampleDepth = .eight,
        premultiplies: Bool = true,
        damage: DamageHandling,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.bytes = bytes
        self.file = file
        self.premultiplies = premultiplies
        toleratesDamage = damage == .showsWhatIsThere
        self.isCancelled = isCancelled
        wideExpander = depth == .sixteen ? PNGWideExpander(file) : nil
        expander = PNGPixelExpander(file, premultiplies: premultiplies)
    }

    /// Decodes the stream in `ranges`, which holds an image of `size`; says whether some of its pixels are missing or
    /// wrong.
    ///
    /// - Parameter chunkName: Where errors say the damage is.
    /// - Throws: Of a damaged stream, the error if no row is there, or none is to be shown.
    func decode(
        _ ranges: [Range<Int>],
        size: PixelSize,
        chunkName: String
    ) throws -> (bitmap: Bitmap, isPartial: Bool) {
        let byteCount = file.header.streamByteCount(of: size)
        let compressedCount = ranges.reduce(0) { $0 + $1.count }
        // Before any memory is taken.
        let isTooShort = compressedCount == 0 || byteCount / Self.greatestExpansion > compressedCount
        var failure = damage(
            "the stream in \(chunkName) is \(isTooShort ? "too short for the image" : "damaged or too short")"
        )
        guard toleratesDamage || !isTooShort else { throw failure }
        if !isTooShort, byteCount <= Self.greatestStreamByteCount {
            do {
                return try decodeAll(ranges, compressedCount, size: size, chunkName: chunkName)
            } catch let error as CodecError where toleratesDamage && error.isOfDamage {
                failure = error
            }
        }
        let (bitmap, isComplete) = try decodeBeginning(ranges, size: size)
        guard let bitmap, isComplete || toleratesDamage else { throw failure }
        return (bitmap, !isComplete || file.hasWrongChecksum)
    }

    /// Returns the rows before the damage, `nil` if there is none, and whether these are all. Slower than decompressing
    /// the whole stream at once, but linear too.
    private func decodeBeginning(
        _ ranges: [Range<Int>],
        size: PixelSize
    ) throws -> (bitmap: Bitmap?, isComplete: Bool) {
        let painter = try PNGRowPainter(file, size: size, depth: depth, premultiplies: premultiplies)
        do {
            var rowCount = 0
            for range in ranges where !range.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
                // The painter is gone before the bytes are.
                painter.add(Data(borrowing: piece))
                while !painter.isComplete {
                    if rowCount % Self.rowsPerPoll == 0 { try checkCancellation() }
                    guard try painter.drawRow() else { break }
                    rowCount += 1
                }
            }
        } catch let error as CodecError where error.isOfDamage {
        }
        return (painter.bitmap, painter.isComplete)
    }

    private func decodeAll(
        _ ranges: [Range<Int>],
        _ compressedCount: Int,
        size: PixelSize,
        chunkName: String
    ) throws -> (bitmap: Bitmap, isPartial: Bool) {
        try checkCancellation()
        let header = file.header
        let byteCount = header.streamByteCount(of: size)
        let (bufferSize, overflows) = byteCount.addingReportingOverflow(PNGStreamDecoder.slack)
        guard !overflows else {
            throw CodecError.bitmap(.outOfMemory(byteCount: byteCount))
        }
        let stream = try PixelBuffer(byteCount: bufferSize)
        let isVerified = try inflate(ranges, compressedCount, into: stream, byteCount, chunkName)
        try checkCancellation()
        var bitmap = try Bitmap(uninitialized: size, isOpaque: false, depth: depth)
        bitmap.isOpaque = try fill(&bitmap, from: stream)
        return (bitmap, toleratesDamage && file.hasWrongChecksum && !isVerified)
    }

    /// The greatest number of bytes that ``decode(_:size:chunkName:)`` takes, its result included.
    static func memory(
        for size: PixelSize,
        ranges: [Range<Int>],
        header: PNGHeader,
        depth: SampleDepth = .eight
    ) -> Int {
        let gathered = ranges.count > 1 ? ranges.reduce(0) { $0 + $1.count } : 0
        let parts = [header.streamByteCount(of: size), size.bitmapByteCount(depth: depth), gathered]
        return parts.reduce(0) { sum, part in
            let (next, overflows) = sum.addingReportingOverflow(part)
            return overflows ? .max : next
        }
    }

    private var depth: SampleDepth { wideExpander == nil ? .eight : .sixteen }

    private func expand(
        _ row: UnsafeMutablePointer<UInt8>,
        width: Int,
        to output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        wideExpander?.expand(row, width: width, to: output) ?? expander.expand(row, width: width, to: output)
    }

    private func checkCancellation() throws(CancellationError) {
        if isCancelled() {
            throw CancellationError()
        }
    }

    private func damage(_ reason: String) -> CodecError {
        file.isComplete ? .corrupt(.png, reason: reason) : .truncated(.png)
    }

    /// Returns whether the stream's own checksum holds.
    private func inflate(
        _ ranges: [Range<Int>],
        _ compressedCount: Int,
        into stream: PixelBuffer,
        _ byteCount: Int,
        _ chunkName: String
    ) throws -> Bool {
        let output = UnsafeMutableRawBufferPointer(start: stream.pointer, count: byteCount)
        let outcome: PNGInflater.Outcome
        let inflater = try PNGInflater()
        if ranges.count == 1 {
            let input = UnsafeRawBufferPointer(rebasing: bytes[ranges[0]])
            outcome = inflater.inflate(input, isBare: file.isAppleOptimized, into: output)
        } else {
            let gathered = try PixelBuffer(byteCount: compressedCount)
            var offset = 0
            for range in ranges where !range.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
                UnsafeMutableRawBufferPointer(start: gathered.pointer + offset, count: range.count)
                    .copyMemory(from: piece)
                offset += range.count
            }
            let input = UnsafeRawBufferPointer(start: gathered.pointer, count: compressedCount)
            outcome = inflater.inflate(input, isBare: file.isAppleOptimized, into: output)
        }
        switch outcome {
        case .done: return true
        case .filled: return false
        case .damaged: throw damage("the stream in \(chunkName) is damaged")
        case .tooShort: throw damage("the stream in \(chunkName) ends before the image does")
        }
    }

    /// Unfilters and expands all rows; says whether every pixel is opaque.
    private func fill(_ bitmap: inout Bitmap, from stream: PixelBuffer) throws -> Bool {
        let size = bitmap.size
        let bytesPerRow = bitmap.bytesPerRow
        return try bitmap.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws -> Bool in
            guard let start = target.baseAddress else {
                return true
            }
            let pixels = start.assumingMemoryBound(to: UInt8.self)
            let rows = stream.pointer.assumingMemoryBound(to: UInt8.self)
            guard file.header.isInterlaced else {
                return try fillRows(rows, size) { row, y in
                    expand(row, width: size.width, to: pixels + y * bytesPerRow)
                }
            }
            return try fillPasses(rows, size, pixels, bytesPerRow)
        }
    }

    private func fillPasses(
        _ rows: UnsafeMutablePointer<UInt8>,
        _ size: PixelSize,
        _ pixels: UnsafeMutablePointer<UInt8>,
        _ bytesPerRow: Int
    ) throws -> Bool {
        let bytesPerPixel = depth.bytesPerPixel
        let line = try PixelBuffer(byteCount: size.width * bytesPerPixel)
        let expanded = line.pointer.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        var isOpaque = true
        for pass in PNGInterlacePass.all {
            let passSize = pass.size(of: size)
            guard !passSize.isEmpty else {
                continue
            }
            let passIsOpaque = try fillRows(rows + offset, passSize) { row, y in
                let rowIsOpaque = expand(row, width: passSize.width, to: expanded)
                let top = pass.firstRow + y * pass.rowStep
                let target = UnsafeMutableRawPointer(pixels + top * bytesPerRow + bytesPerPixel * pass.firstColumn)
                if bytesPerPixel == 4 {
                    spread(line.pointer, passSize.width, to: target, every: pass.columnStep, as: UInt32.self)
                } else {
                    spread(line.pointer, passSize.width, to: target, every: pass.columnStep, as: UInt64.self)
                }
                return rowIsOpaque
            }
            isOpaque = isOpaque && passIsOpaque
            offset += passSize.height * (file.header.rowByteCount(width: passSize.width) + 1)
        }
        return isOpaque
    }

    /// Copies pixels, each as large as `Pixel`, to every `step`-th place.
    private func spread<Pixel: FixedWidthInteger>(
        _ source: UnsafeMutableRawPointer,
        _ count: Int,
        to target: UnsafeMutableRawPointer,
        every step: Int,
        as type: Pixel.Type
    ) {
        let byteCount = MemoryLayout<Pixel>.size
        for x in 0..<count {
            let pixel = source.load(fromByteOffset: byteCount &* x, as: Pixel.self)
            target.storeBytes(of: pixel, toByteOffset: byteCount &* step &* x, as: Pixel.self)
        }
    }

    /// Unfilters rows in place and hands each to `expand`, which says whether it is opaque.
    ///
    /// Raw pointers: this is a third of decoding, and each offset follows from the header, by which the buffer was
    /// made.
    private func fillRows(
        _ rows: UnsafeMutablePointer<UInt8>,
        _ size: PixelSize,
        expand: (UnsafeMutablePointer<UInt8>, Int) -> Bool
    ) throws -> Bool {
        let byteCount = file.header.rowByteCount(width: size.width)
        let bytesPerPixel = file.header.bytesPerPixel
        let zeros = try PixelBuffer(byteCount: byteCount + PNGStreamDecoder.slack)
        zeros.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount + PNGStreamDecoder.slack)
        let pairsPaeth = (bytesPerPixel == 3 || bytesPerPixel == 4)
        var previous = UnsafePointer(zeros.pointer.assumingMemoryBound(to: UInt8.self))
        var isOpaque = true
        var y = 0
        var rowsUntilPoll = PNGStreamDecoder.rowsPerPoll
        while y < size.height {
            let row = rows + y * (byteCount + 1) + 1
            if pairsPaeth, row[-1] == 4, y + 1 < size.height, row[byteCount] == 4 {
                let next = row + byteCount + 1
                halcyon_png_unfilter_paeth_pair(row, next, previous, size.width, bytesPerPixel)
                let firstIsOpaque = expand(row, y)
                isOpaque = expand(next, y + 1) && firstIsOpaque && isOpaque
                previous = UnsafePointer(next)
                y += 2
                rowsUntilPoll -= 2
            } else {
                try Self.unfilter(row, type: row[-1], previous, byteCount, bytesPerPixel)
                isOpaque = expand(row, y) && isOpaque
                previous = UnsafePointer(row)
                y += 1
                rowsUntilPoll -= 1
            }
            if rowsUntilPoll <= 0 {
                rowsUntilPoll = PNGStreamDecoder.rowsPerPoll
                try checkCancellation()
            }
        }
        return isOpaque
    }

    /// Undoes the filter of a row in place.
    static func unfilter(
        _ row: UnsafeMutablePointer<UInt8>,
        type: UInt8,
        _ previous: UnsafePointer<UInt8>,
        _ byteCount: Int,
        _ bytesPerPixel: Int
    ) throws(CodecError) {
        switch type {
        case 0: break
        case 1: halcyon_png_unfilter_sub(row, byteCount, bytesPerPixel)
        case 2: halcyon_png_unfilter_up(row, previous, byteCount)
        case 3: halcyon_png_unfilter_average(row, previous, byteCount, bytesPerPixel)
        case 4: halcyon_png_unfilter_paeth(row, previous, byteCount, bytesPerPixel)
        default: throw .corrupt(.png, reason: "a row has the unknown filter type \(type)")
        }
    }
}
