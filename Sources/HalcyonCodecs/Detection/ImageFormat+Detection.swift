public import FoundationEssentials

extension ImageFormat {
    /// The format whose signature these first bytes carry, or `nil`. Knows more formats than there are decoders.
    ///
    /// 64 bytes are enough for every format but SVG, which may start with comments of any length, and may be
    /// compressed. A signature cut short is no match. Names and media types are not looked at: servers are often wrong
    /// about them.
    public static func detect(_ prefix: Data) -> ImageFormat? {
        let reader = ByteReader(prefix)
        for (signature, format) in signatures where signature.matches(reader) {
            return format
        }
        if let format = ISOMediaBrands(reader)?.imageFormat {
            return format
        }
        if isBitmap(reader) {
            return .bmp
        }
        if let format = iconFormat(reader) {
            return format
        }
        if MarkupPrefix(text(of: prefix))?.isSVG == true {
            return .svg
        }
        return VideoContainer.detect(prefix)
    }

    /// The format of a document whose first element stands behind longer comments, or a longer document type, than
    /// ``detect(_:)`` is usually shown; `nil` where its beginning is something else.
    static func detectBehindComments(_ data: Data, from byteCount: Int) -> ImageFormat? {
        guard data.count > byteCount || GzipText.isCompressed(data),
            MarkupPrefix(text(of: data.prefix(byteCount)))?.isUnfinished == true
        else { return nil }
        let text = text(of: data.prefix(maximumCommentByteCount), maximumByteCount: maximumCommentByteCount)
        return MarkupPrefix(text)?.isSVG == true ? .svg : nil
    }

    /// As far as the root element of a drawing is looked for.
    private static let maximumCommentByteCount = 1 << 20

    /// The bytes, inflated where they are compressed SVG ("svgz").
    private static func text(of prefix: Data, maximumByteCount: Int = inflatedByteCount) -> Data {
        guard GzipText.isCompressed(prefix) else {
            return prefix
        }
        return switch GzipText.inflate(prefix, maximumByteCount: maximumByteCount) {
        case .complete(let text), .partial(let text, _): text
        case .damaged, .outOfMemory: prefix
        }
    }

    /// The number of bytes examined of compressed markup: comments may come first.
    private static let inflatedByteCount = 16_384

    private static let signatures: [(Signature, ImageFormat)] = [
        (Signature([0xff, 0xd8, 0xff]), .jpeg),
        (Signature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), .png),
        (Signature("GIF87a"), .gif),
        (Signature("GIF89a"), .gif),
        (Signature("RIFF", and: "WEBP", at: 8), .webp),
        (Signature([0xff, 0x0a]), .jxl),
        (Signature([0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]), .jxl),
        (Signature([0x49, 0x49, 42, 0]), .tiff),
        (Signature([0x4d, 0x4d, 0, 42]), .tiff),
        (Signature([0x49, 0x49, 43, 0]), .tiff),
        (Signature([0x4d, 0x4d, 0, 43]), .tiff),
        (Signature("qoif"), .qoi),
        (Signature("P7\n"), .pam),
    ]

    /// "BM" alone would also match English text, so that the size of the following header must be one that exists.
    private static func isBitmap(_ reader: ByteReader) -> Bool {
        guard reader.hasText("BM", at: 0),
            let headerSize = ByteReader(reader.data, order: .littleEndian).uint32(at: 14)
        else {
            return false
        }
        return headerSize == 12 || (16...64).contains(headerSize) || headerSize == 108 || headerSize == 124
    }

    /// Four nearly empty bytes are a weak signature, so that the first entry must be possible: its reserved byte is
    /// 0 (255 by a bug of old .NET), and its image lies behind the directory.
    private static func iconFormat(_ reader: ByteReader) -> ImageFormat? {
        let little = ByteReader(reader.data, order: .littleEndian)
        guard little.uint16(at: 0) == 0, let type = little.uint16(at: 2), type == 1 || type == 2,
            let count = little.uint16(at: 4), count > 0, let reserved = little.uint8(at: 9),
            reserved == 0 || reserved == 255, let offset = little.uint32(at: 18), offset >= 6 + 16 * count
        else {
            return nil
        }
        return type == 1 ? .ico : .cur
    }
}
