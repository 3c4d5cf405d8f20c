internal import FoundationEssentials
internal import HalcyonRaster

/// The header of a device-independent bitmap, as it stands behind the file header of a BMP or at the start of an icon.
///
/// There are those of OS/2 1 (12 bytes), of OS/2 2 (16 to 64 bytes, cut anywhere), and of Windows (40, 52, 56, 108 and
/// 124 bytes: BITMAPINFOHEADER, its two extensions by Adobe, BITMAPV4HEADER and BITMAPV5HEADER of [MS-WMF] 2.2.2).
struct BMPHeader {
    /// The form in which the pixels are stored.
    enum Compression {
        case none
        case runLengths
        case bitFields(BMPBitFields)
    }

    /// Both sides are at least 1.
    let size: PixelSize
    let isTopDown: Bool
    /// 1, 2, 4, 8, 16, 24 or 32.
    let bitsPerPixel: Int
    let compression: Compression
    /// The offset of the header in its file.
    let start: Int
    /// The offset at which the palette starts in its file, or would.
    let paletteOffset: Int
    /// Bytes of a colour in the palette: 3 (OS/2 1) or 4.
    let paletteEntrySize: Int
    /// Colours in the palette, as the header says; 0 where there is none.
    let paletteCount: Int
    let color: BMPColor

    /// A Boolean value that indicates whether the pixels are numbers of colours in a palette.
    var isIndexed: Bool { bitsPerPixel <= 8 }

    /// Bytes of a row of pixels that are not compressed, without the padding behind it.
    var rowByteCount: Int { (size.width * bitsPerPixel + 7) / 8 }

    /// Bytes from row to row: rows start at multiples of 4 bytes.
    var bytesPerRow: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - data: The file, or its beginning.
    ///   - start: Where the header starts.
    ///   - format: The format that errors name. In an icon, the height is twice that of the image, since a mask follows
    ///     the pixels, and the fourth byte of 32 bits is alpha.
    init(_ data: Data, at start: Int, of format: ImageFormat) throws(CodecError) {
        let fields = try BMPHeaderFields(data, at: start, of: format)
        self.start = start
        (size, isTopDown) = try Self.size(fields, format)
        let statedBits = fields.bitsPerPixel
        guard [1, 2, 4, 8, 16, 24, 32].contains(statedBits) else {
            if fields.embeddedFormat != nil || statedBits == 64 {
                throw .unsupported(format, reason: "\(fields.embeddedFormat ?? "64 bits a pixel")")
            }
            throw .corrupt(format, reason: "\(statedBits) bits a pixel")
        }
        compression = try Self.compression(fields, format)
        // With runs, fewer bits only tell the length of the palette, as in Chromium.
        bitsPerPixel = fields.bitsPerPixelOfRuns ?? statedBits
        paletteOffset = fields.end + fields.maskByteCount
        paletteEntrySize = fields.isCore ? 3 : 4
        let greatestCount = statedBits <= 8 ? 1 << statedBits : 0
        let statedCount = fields.colorCount > 0 ? fields.colorCount : greatestCount
        // More colours than pixels can name only move the pixels further back; in an icon, browsers expect the pixels
        // behind as many as can be named.
        paletteCount = format == .bmp ? statedCount : min(statedCount, greatestCount)
        color = BMPColor(fields)
    }

    /// Returns the description in the header, in the terms that all formats share.
    func info(of format: ImageFormat, in data: Data) -> ImageInfo {
        var info = ImageInfo(format: format, size: size)
        switch compression {
        case .bitFields(let fields):
            info.bitDepth = fields.bitDepth
            info.hasAlpha = fields.hasAlpha
        case .none, .runLengths:
            info.bitDepth = min(bitsPerPixel, 8)
        }
        if let profile = color.embeddedProfile(in: data, headerStart: start),
            let colorSpace = ICCProfile.colorSpace(of: profile)
        {
            info.colorSpace = colorSpace
        }
        return info
    }

    private static func size(
        _ fields: BMPHeaderFields,
        _ format: ImageFormat
    ) throws(CodecError) -> (PixelSize, isTopDown: Bool) {
        // Of 32 bits, so that the absolute value fits.
        let height = abs(fields.height) / (format == .bmp ? 1 : 2)
        let size = PixelSize(fields.width, height)
        guard !size.isEmpty else {
            throw .corrupt(format, reason: "the image has a size of \(size)")
        }
        return (size, fields.height < 0)
    }

    private static func compression(
        _ fields: BMPHeaderFields,
        _ format: ImageFormat
    ) throws(CodecError) -> Compression {
        let bitsPerPixel = fields.bitsPerPixel
        switch (fields.compression, bitsPerPixel) {
        case (.none, 16):
            return .bitFields(.fiveBits)
        case (.none, 32) where format != .bmp:
            return .bitFields(.eightBitsWithAlpha)
        case (.none, _):
            return .none
        case (.runLengths8, ...8), (.runLengths4, ...4), (.runLengths24, 24):
            return .runLengths
        case (.bitFields, 16), (.bitFields, 32):
            return .bitFields(BMPBitFields(fields.masks, bitsPerPixel: bitsPerPixel))
        case (.unsupported(let reason), _):
            throw .unsupported(format, reason: reason)
        default:
            throw .corrupt(format, reason: "\(bitsPerPixel) bits a pixel do not go with its compression")
        }
    }
}
