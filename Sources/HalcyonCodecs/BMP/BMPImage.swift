internal import FoundationEssentials
internal import HalcyonRaster

/// Decodes the pixels that a bitmap's header describes, for BMP and for icons.
struct BMPImage {
    /// Rows between two questions whether decoding is cancelled.
    static let rowsBetweenQuestions = 16

    let header: BMPHeader
    let format: ImageFormat
    /// The file; offsets in the header and those below count from its first byte.
    let bytes: UnsafeRawBufferPointer
    /// The offset of the pixels.
    let pixelsOffset: Int
    let palette: BMPPalette
    let premultiplies: Bool
    let toleratesDamage: Bool
    let isCancelled: () -> Bool

    /// - Parameters:
    ///   - bytes: The file.
    ///   - header: Its header.
    ///   - format: The format that errors name.
    ///   - pixelsOffset: Where the file says that the pixels start, or `nil` if right behind the palette.
    ///   - premultiplies: Whether colours are multiplied by alpha.
    ///   - damage: What becomes of rows that are not there. Default: they are an error.
    ///   - isCancelled: Asked between groups of rows.
    init(
        _ bytes: UnsafeRawBufferPointer,
        _ header: BMPHeader,
        of format: ImageFormat,
        pixelsOffset: Int?,
        premultiplies: Bool,
        damage: DamageHandling = .isRefused,
        isCancelled: @escaping () -> Bool
    ) {
        self.header = header
        self.format = format
        self.bytes = bytes
        self.premultiplies = premultiplies
        toleratesDamage = damage == .showsWhatIsThere
        self.isCancelled = isCancelled
        // Files exist whose offset is 0 or that of the palette. One within the palette shortens that.
        let stated = pixelsOffset ?? 0
        let isStated = stated > header.paletteOffset || (stated == header.paletteOffset && !header.isIndexed)
        self.pixelsOffset =
            isStated ? stated : header.paletteOffset + header.paletteCount * header.paletteEntrySize
        palette = BMPPalette(bytes, header, end: self.pixelsOffset)
    }

    /// The offset at which pixels that are not compressed end, with the padding behind the last row.
    private var end: Int { pixelsOffset + header.bytesPerRow * header.size.height }

    /// Rows in the order of the file, as far as they are there; of rows that are not compressed.
    private var availableRowCount: Int {
        // The padding behind the last row may be missing.
        let byteCount = bytes.count - pixelsOffset - header.rowByteCount
        return byteCount < 0 ? 0 : min(header.size.height, byteCount / header.bytesPerRow + 1)
    }

    /// Decodes the image, of which rows that are missing are transparent; says whether any are, and at which offset
    /// the pixels end, with the padding behind the last row. Runs end behind their mark.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where no row is there, or one is missing and that is not tolerated, before
    ///   any memory is taken if the pixels are not compressed; `CancellationError`.
    func decodeWhatIsThere() throws -> (bitmap: Bitmap, isPartial: Bool, end: Int) {
        let size = header.size
        // A side that no bitmap can have, so that no product below overflows, whatever limits a user sets.
        guard max(size.width, size.height) <= 1 << 26 else {
            throw CodecError.bitmap(.invalidSize(size))
        }
        guard case .runLengths = header.compression else {
            let rowCount = availableRowCount
            guard rowCount == size.height || (toleratesDamage && rowCount > 0) else {
                throw CodecError.truncated(format)
            }
            guard rowCount < size.height else {
                var bitmap = try Bitmap.forDecoding(size, isOpaque: true)
                bitmap.isOpaque = try decodeRows(rowCount, into: &bitmap)
                return (bitmap, false, end)
            }
            do {
                var bitmap = try Bitmap(size: size)
                _ = try decodeRows(rowCount, into: &bitmap)
                return (bitmap, true, end)
            } catch let error as BitmapError {
                throw CodecError.bitmap(error)
            }
        }
        guard pixelsOffset < bytes.count else {
            throw CodecError.truncated(format)
        }
        do {
            var bitmap = try Bitmap(size: size)
            let bytesPerRow = bitmap.bytesPerRow
            var runs = BMPRunLengths(self)
            let isPartial = try bitmap.withUnsafeMutableBytes { pixels in
                // A bitmap has at least one pixel, so there is an address.
                guard let rows = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else {
                    return false
                }
                do {
                    try runs.decode(into: rows, bytesPerRow: bytesPerRow)
                    return false
                } catch let error as CodecError where toleratesDamage && error.isOfDamage && runs.hasRow {
                    return true
                }
            }
            bitmap.isOpaque = !bitmap.containsTransparency()
            return (bitmap, isPartial, isPartial ? bytes.count : runs.end)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// The row of the image, counted from its top, that is the n-th in the file.
    func row(_ index: Int) -> Int {
        header.isTopDown ? index : header.size.height - 1 - index
    }

    /// A Boolean value that indicates whether the pixels have alpha. Icons have a place for it also where the program
    /// that wrote them knew only masks; it is 0 throughout then.
    var showsAlpha: Bool {
        guard case .bitFields(let fields) = header.compression, fields.hasAlpha else {
            return false
        }
        return format == .bmp || containsAny(of: fields.channels[3].mask)
    }

    private func containsAny(of mask: UInt32) -> Bool {
        let bytesPerPixel = header.bitsPerPixel / 8
        return (0..<availableRowCount).contains { index in
            let row = pixelsOffset + index * header.bytesPerRow
            return (0..<header.size.width).contains { x in
                let pixel: UInt32 =
                    bytesPerPixel == 4
                    ? UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: row + x * 4, as: UInt32.self))
                    : UInt32(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: row + x * 2, as: UInt16.self)))
                return pixel & mask != 0
            }
        }
    }

    private func decodeRows(_ count: Int, into bitmap: inout Bitmap) throws -> Bool {
        let converter = BMPRowConverter(self)
        guard let pixels = bytes.baseAddress.map({ $0 + pixelsOffset }) else {
            throw CodecError.truncated(format)
        }
        return try bitmap.decodeRows((0..<count).lazy.map(row), premultiplies: premultiplies) { out, y in
            // The order of rows is its own inverse.
            let index = row(y)
            if index % Self.rowsBetweenQuestions == 0, isCancelled() {
                throw CancellationError()
            }
            return converter.convert(pixels + index * header.bytesPerRow, into: out)
        }
    }
}

/// The colours that pixels of 1 to 8 bits name: 256 pixels, opaque black where the file has no colour.
struct BMPPalette {
    /// Each as red, green, blue, alpha in memory.
    let colors: [UInt32]

    private static let black: UInt32 = 0xff00_0000

    /// Reads up to 256 colours; those that are stored as blue, green, red, which in 4 bytes a fourth without meaning
    /// follows.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - header: Says where the colours are.
    ///   - end: Where they end, whatever the header says: at the pixels.
    init(_ bytes: UnsafeRawBufferPointer, _ header: BMPHeader, end: Int) {
        var colors = [UInt32](repeating: Self.black, count: 256)
        let entrySize = header.paletteEntrySize
        for index in 0..<min(header.paletteCount, 256) {
            let entry = header.paletteOffset + index * entrySize
            guard entry + entrySize <= min(end, bytes.count) else {
                break
            }
            let (blue, green, red) = (UInt32(bytes[entry]), UInt32(bytes[entry + 1]), UInt32(bytes[entry + 2]))
            colors[index] = red | green << 8 | blue << 16 | Self.black
        }
        self.colors = colors
    }
}
