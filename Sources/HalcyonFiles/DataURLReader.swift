package import FoundationEssentials

/// A reader of `data:` URLs (RFC 2397), by one of two sets of rules.
package enum DataURLReader: Sendable {
    /// Reads as browsers do (WHATWG Fetch, "data: URL processor").
    case standard
    /// Reads whatever some other reader may take for a `data:` URL, for checks that come before that reader.
    ///
    /// Spaces and controls before the scheme are skipped, a fragment belongs to the body, `base64` may be any of the
    /// parameters, and bytes that are no Base64 digits are skipped.
    case permissive

    /// Returns the decoded body.
    package func body(of text: [UInt8]) throws(DataURLError) -> Data {
        guard let start = endOfScheme(in: text), start < text.endIndex else { throw .notADataURL }
        guard let comma = text[start...].firstIndex(of: UInt8(ascii: ",")) else { throw .missingComma }
        var body = text[(comma + 1)...]
        if self == .standard { body = body.prefix { $0 != UInt8(ascii: "#") } }
        let bytes = PercentEncoding.decodedBytes(body)
        guard isBase64(text[start..<comma]) else { return Data(bytes) }
        guard let digits = base64Digits(of: bytes) else { throw .invalidBase64 }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(digits + padding)) else { throw .invalidBase64 }
        return data
    }

    /// Returns the index after the colon of "data:", in upper or lower case; `nil` if the text does not start with it.
    package func endOfScheme<Text: Collection<UInt8>>(in text: Text) -> Text.Index? {
        let rest = self == .permissive ? text.drop { $0 <= 0x20 } : text[...]
        let scheme = rest.prefix(5)
        return Self.isEqual(scheme, "data:") ? scheme.endIndex : nil
    }

    /// Returns whether the header, which is all between the scheme and the comma, announces Base64.
    private func isBase64(_ header: ArraySlice<UInt8>) -> Bool {
        let parameters = header.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).dropFirst()
        return switch self {
        case .standard:
            parameters.last.map { Self.isEqual(Self.trimmed($0) { $0 == 0x20 }, "base64") } ?? false
        case .permissive:
            parameters.contains { parameter in
                let characters = String(decoding: parameter, as: UTF8.self)
                return Self.isEqual(Self.trimmed(Substring(characters), \.isWhitespace).utf8, "base64")
            }
        }
    }

    /// Returns the Base64 digits without padding; `nil` where the bytes cannot be Base64.
    private func base64Digits(of bytes: [UInt8]) -> [UInt8]? {
        switch self {
        case .permissive:
            return bytes.filter(Self.isBase64Digit)
        case .standard:
            // WHATWG Infra, "forgiving-base64 decode": ASCII whitespace is skipped, padding is optional.
            var digits = bytes.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
            if digits.count % 4 == 0 {
                for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
            }
            return digits.count % 4 != 1 && digits.allSatisfy(Self.isBase64Digit) ? digits : nil
        }
    }

    private static func isBase64Digit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func isEqual(_ bytes: some Collection<UInt8>, _ lowercase: String) -> Bool {
        bytes.elementsEqual(lowercase.utf8) { (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0) == $1 }
    }

    private static func trimmed<Text: BidirectionalCollection>(
        _ text: Text,
        _ isSpace: (Text.Element) -> Bool
    ) -> Text.SubSequence {
        let rest = text.drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) }
        return rest[..<(end ?? rest.startIndex)]
    }
}
