package import FoundationEssentials

/// Reads the name of an ICC colour profile (ICC.1:2022, and ICC.1:2001-04 for version 2).
package enum ICCProfile {
    /// The profile's description, such as "Display P3", without surrounding white space, at most 256 characters.
    /// `nil` where the bytes are no profile or hold no readable name.
    package static func description(of profile: Data) -> String? {
        let reader = ByteReader(profile)
        guard isProfile(reader), let tagCount = reader.uint32(at: 128) else {
            return nil
        }
        for index in 0..<min(tagCount, maximumTagCount) {
            let entry = 132 + index * 12
            guard reader.bytes(at: entry, count: 12) != nil else {
                return nil
            }
            guard reader.hasText("desc", at: entry), let offset = reader.uint32(at: entry + 4),
                let size = reader.uint32(at: entry + 8)
            else {
                continue
            }
            // A size beyond the end is common in cut profiles; what is there may still hold the name.
            return reader.bytes(at: offset, count: min(size, max(0, reader.count - offset)))
                .flatMap { text(of: ByteReader($0)) }
        }
        return nil
    }

    /// The colour space that an embedded profile stands for: ``ColorSpace/sRGB`` for every profile with the curves and
    /// primaries of that, whatever its name, otherwise its name. `nil` where the bytes are no profile.
    package static func colorSpace(of profile: Data) -> ColorSpace? {
        guard isProfile(ByteReader(profile)) else {
            return nil
        }
        return isSRGB(profile) ? .sRGB : .icc(description: description(of: profile) ?? "unnamed ICC profile")
    }

    /// The colour models of pixels in files.
    package enum ColorModel {
        case gray
        case rgb
        case inks
    }

    /// Returns whether the bytes are a profile for a colour model (ICC.1:2022 7.2.6), and not too large to be used.
    package static func isProfile(_ profile: Data, for model: ColorModel) -> Bool {
        let reader = ByteReader(profile)
        let signature: StaticString =
            switch model {
            case .gray: "GRAY"
            case .rgb: "RGB "
            case .inks: "CMYK"
            }
        return isProfile(reader) && reader.hasText(signature, at: 16) && profile.count <= maximumByteCount
    }

    /// Profiles of displays have a few kilobytes, those with tables and those of inks up to three megabytes.
    package static let maximumByteCount = 4 << 20

    /// Real profiles hold about twenty tags, and names in about forty languages.
    private static let maximumTagCount = 100
    private static let maximumLength = 256

    private static func isProfile(_ reader: ByteReader) -> Bool {
        reader.hasText("acsp", at: 36)
    }

    /// The text of a tag of type 'desc' (version 2), 'mluc' (version 4) or 'text'.
    private static func text(of tag: ByteReader) -> String? {
        if tag.hasText("desc", at: 0) {
            // textDescriptionType: the ASCII text's length with its final NUL at byte 8, the text at byte 12.
            return tag.uint32(at: 8).flatMap { ascii(of: tag, at: 12, count: $0) }
        }
        if tag.hasText("text", at: 0) {
            return ascii(of: tag, at: 8, count: tag.count - 8)
        }
        if tag.hasText("mluc", at: 0) {
            return localizedText(of: tag)
        }
        return nil
    }

    private static func ascii(of tag: ByteReader, at offset: Int, count: Int) -> String? {
        let available = min(count, tag.count - offset, maximumLength)
        guard available > 0, let bytes = tag.bytes(at: offset, count: available) else {
            return nil
        }
        return trimmed(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }

    /// multiLocalizedUnicodeType: the record for English, otherwise the first; UTF-16, big endian.
    private static func localizedText(of tag: ByteReader) -> String? {
        guard let recordCount = tag.uint32(at: 8), let recordSize = tag.uint32(at: 12), recordSize >= 12 else {
            return nil
        }
        var first: String?
        for index in 0..<min(recordCount, maximumTagCount) {
            let record = 16 + index * recordSize
            guard let length = tag.uint32(at: record + 4), let offset = tag.uint32(at: record + 8) else {
                break
            }
            guard let bytes = tag.bytes(at: offset, count: min(length, maximumLength * 2)) else {
                continue
            }
            let units = zip(bytes.indices, bytes.indices.dropFirst())
                .filter { high, _ in (high - bytes.startIndex).isMultiple(of: 2) }
                .map { high, low in UInt16(bytes[high]) << 8 | UInt16(bytes[low]) }
            let text = trimmed(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
            if tag.hasText("en", at: record) {
                return text ?? first
            }
            first = first ?? text
        }
        return first
    }

    private static func trimmed(_ text: String) -> String? {
        var slice = text[...]
        while slice.first?.isWhitespace == true { slice.removeFirst() }
        while slice.last?.isWhitespace == true { slice.removeLast() }
        return slice.isEmpty ? nil : String(slice)
    }
}
