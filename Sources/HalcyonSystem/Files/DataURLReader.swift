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
        // The fragment goes before the comma is looked for.
        let text = self == .standard ? text.prefix { $0 != UInt8(ascii: "#") } : text[...]
        guard let start = endOfScheme(in: text) else { throw .notADataURL }
        guard let comma = text[start...].firstIndex(of: UInt8(ascii: ",")) else { throw .missingComma }
        let bytes = PercentEncoding.decodedBytes(text[(comma + 1)...])
        guard isBase64(text[start..<comma]) else { return Data(bytes) }
        guard let data = base64Data(of: bytes) else { throw .invalidBase64 }
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

    /// Returns the bytes of a body in Base64; `nil` where it cannot be Base64.
    private func base64Data(of bytes: [UInt8]) -> Data? {
        switch self {
        case .standard: try? Base64.data(of: bytes)
        case .permissive: Base64.data(ofDigits: bytes.filter(Base64.isDigit))
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
