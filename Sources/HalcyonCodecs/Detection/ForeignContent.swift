package import FoundationEssentials

/// Names what bytes are that are no image of a known format, so that an error can say "HTML" instead of "unknown".
/// A server that answers every address with a page of its own is the most common cause.
package enum ForeignContent {
    /// A short name such as "HTML", "PDF" or "text", or `nil`.
    package static func name(of prefix: Data) -> String? {
        if let name = nameOfSignature(prefix) {
            return name
        }
        if let markup = MarkupPrefix(prefix) {
            return markup.isHTML ? "HTML" : "XML"
        }
        return nameOfText(prefix)
    }

    /// Returns whether bytes have the signature of something else than an image, or are a page in HTML. XML, JSON and
    /// text are only what they look like.
    static func isCertain(_ prefix: Data) -> Bool {
        nameOfSignature(prefix) != nil || MarkupPrefix(prefix)?.isHTML == true
    }

    private static func nameOfSignature(_ prefix: Data) -> String? {
        let reader = ByteReader(prefix)
        for (signature, name) in signatures where signature.matches(reader) {
            return name
        }
        return ISOMediaBrands(reader) == nil ? nil : "MP4 or other ISO media"
    }

    private static let signatures: [(Signature, String)] = [
        (Signature("%PDF-"), "PDF"),
        (Signature("%!PS"), "PostScript"),
        (Signature([0x1f, 0x8b]), "gzip"),
        (Signature([0x50, 0x4b, 0x03, 0x04]), "ZIP"),
        (Signature([0x50, 0x4b, 0x05, 0x06]), "ZIP"),
        (Signature([0x28, 0xb5, 0x2f, 0xfd]), "Zstandard"),
        (Signature([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xz"),
        (Signature("BZh"), "bzip2"),
        (Signature([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), "7-Zip"),
        (Signature("Rar!"), "RAR"),
        (Signature([0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20]), "JPEG 2000"),
        (Signature([0xff, 0x4f, 0xff, 0x51]), "JPEG 2000"),
        (Signature([0x49, 0x49, 0xbc]), "JPEG XR"),
        (Signature("8BPS"), "Photoshop"),
        (Signature([0x76, 0x2f, 0x31, 0x01]), "OpenEXR"),
        (Signature("#?RADIANCE"), "Radiance HDR"),
        (Signature("DDS "), "DirectDraw surface"),
        (Signature("icns"), "Apple icon"),
        (Signature([0xd7, 0xcd, 0xc6, 0x9a]), "Windows metafile"),
        (Signature([0x1a, 0x45, 0xdf, 0xa3]), "WebM or Matroska"),
        (Signature("RIFF", and: "AVI ", at: 8), "AVI"),
        (Signature("RIFF", and: "WAVE", at: 8), "WAV"),
        (Signature("OggS"), "Ogg"),
        (Signature("fLaC"), "FLAC"),
        (Signature("ID3"), "MP3"),
        (Signature([0x7f, 0x45, 0x4c, 0x46]), "ELF"),
        (Signature("SQLite format 3"), "SQLite"),
        (Signature("wOFF"), "font"),
        (Signature("wOF2"), "font"),
    ]

    /// JSON and plain text: UTF-8 without control characters. A character cut by the end of the prefix is fine.
    private static func nameOfText(_ prefix: Data) -> String? {
        let bytes = prefix.starts(with: [0xef, 0xbb, 0xbf]) ? prefix.dropFirst(3) : prefix
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 ? $0 != 0x7f : (0x09...0x0d).contains($0) }) else {
            return nil
        }
        let isUnicode = (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self)?.isEmpty == false }
        guard isUnicode else {
            return nil
        }
        let visible = bytes.drop { $0 <= 0x20 }
        let second = visible.dropFirst().first { $0 > 0x20 }
        switch (visible.first, second) {
        case (UInt8(ascii: "{"), UInt8(ascii: "\"")?), (UInt8(ascii: "{"), UInt8(ascii: "}")?):
            return "JSON"
        case (UInt8(ascii: "["), UInt8(ascii: "{")?), (UInt8(ascii: "["), UInt8(ascii: "\"")?),
            (UInt8(ascii: "["), UInt8(ascii: "]")?), (UInt8(ascii: "["), UInt8(ascii: "[")?):
            return "JSON"
        default:
            return "text"
        }
    }
}
