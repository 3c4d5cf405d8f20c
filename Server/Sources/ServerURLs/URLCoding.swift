internal import FoundationEssentials

/// Percent-encoding and Base64 of URLs.
package enum URLCoding {
    /// Returns a text without its percent-encoding.
    ///
    /// - Throws: ``URLRefusal/malformed(_:)`` for an escape that is none, bytes that are not UTF-8, and control
    ///   characters.
    static func percentDecoded(_ text: some StringProtocol) throws(URLRefusal) -> String {
        guard let bytes = percentDecodedBytes(text) else {
            throw .malformed("it has a percent sign without two hexadecimal digits")
        }
        return try Self.text(of: bytes)
    }

    /// Returns the bytes of a text without its percent-encoding; `nil` for an escape that is none.
    package static func percentDecodedBytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the text of decoded bytes.
    ///
    /// - Throws: ``URLRefusal/malformed(_:)`` for bytes that are not UTF-8, and control characters.
    static func text(of bytes: [UInt8]) throws(URLRefusal) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("it is not UTF-8") }
        let isPlain = text.unicodeScalars.allSatisfy {
            ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        guard isPlain else { throw .malformed("it has control characters") }
        return text
    }

    /// Returns a source whose scheme has two slashes again, of which proxies that tidy paths up leave one: `https:/a.example`
    /// was `https://a.example`, and `local:/a` was `local:///a`.
    static func restoringSlashes(_ source: some StringProtocol) -> String {
        let source = String(source)
        guard let colon = source.firstIndex(of: ":"), source[colon...].hasPrefix(":/"),
            !source[colon...].hasPrefix("://"), source[..<colon].allSatisfy({ $0.isASCII && $0.isLetter })
        else { return source }
        let scheme = source[..<colon]
        return scheme + (scheme == "local" ? "://" : ":/") + source[source.index(after: colon)...]
    }

    /// Returns a text with everything escaped but unreserved characters (RFC 3986, section 2.3) and those of
    /// `others`.
    package static func percentEncoded(_ text: String, keeping others: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(scalar)
            default:
                if others.utf8.contains(byte) {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += byte < 16 ? "%0" : "%"
                    result += String(byte, radix: 16, uppercase: true)
                }
            }
        }
        return result
    }

    /// Returns the bytes of URL-safe or plain Base64, with or without padding; `nil` for other text.
    static func base64Decoded(_ text: some StringProtocol) -> [UInt8]? {
        var text = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        while text.hasSuffix("=") { text.removeLast() }
        guard text.utf8.count % 4 != 1 else { return nil }
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }

    /// Returns the URL-safe Base64 of bytes, without padding.
    static func base64Encoded(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(text.compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
    }

    /// Returns the bytes of hexadecimal digits; `nil` for other text.
    static func hexDecoded(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap(digit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
