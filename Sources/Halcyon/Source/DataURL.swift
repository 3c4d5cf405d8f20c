public import FoundationEssentials

/// A provider of the bytes inside a `data:` URL (RFC 2397, as browsers read it: WHATWG Fetch, "data: URL processor").
public struct DataURL: ImageDataProvider {
    /// The URL itself.
    public let cacheKey: String

    /// A provider for the text of a URL. The text is checked when the bytes are read.
    public init(_ url: String) {
        cacheKey = url
    }

    /// Returns the decoded bytes.
    ///
    /// - Throws: ``DataURLError``.
    public func data() async throws -> Data {
        try decoded()
    }

    /// Returns the decoded bytes without suspending.
    ///
    /// - Throws: ``DataURLError``.
    public func decoded() throws(DataURLError) -> Data {
        let text = cacheKey.utf8
        guard text.count > 5, text.prefix(5).elementsEqual("data:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else {
            throw .notADataURL
        }
        let rest = text.dropFirst(5)
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { throw .missingComma }
        let mediaType = String(decoding: rest[..<comma], as: UTF8.self)
        // A fragment is no part of the body.
        let body = rest[rest.index(after: comma)...].prefix { $0 != UInt8(ascii: "#") }
        let bytes = Self.percentDecoded(body)
        guard Self.isBase64(mediaType) else { return Data(bytes) }
        guard let data = Self.base64Decoded(bytes) else { throw .invalidBase64 }
        return data
    }

    /// Returns whether the media type ends with "; base64", spaces and letter case aside.
    private static func isBase64(_ mediaType: String) -> Bool {
        guard let semicolon = mediaType.lastIndex(of: ";") else { return false }
        let last = mediaType[mediaType.index(after: semicolon)...]
        return last.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().map { $0.lowercased() }.joined()
            == "base64"
    }

    private static func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.underestimatedCount)
        /// Bytes that may be the start of an escape: "%" and perhaps one digit.
        var pending: [UInt8] = []
        for byte in text {
            switch (pending.count, hexValue(byte)) {
            case (0, _):
                if byte == UInt8(ascii: "%") { pending = [byte] } else { result.append(byte) }
            case (1, .some):
                pending.append(byte)
            case (2, .some(let low)):
                result.append((hexValue(pending[1]) ?? 0) << 4 | low)
                pending = []
            default:
                result += pending
                pending = []
                if byte == UInt8(ascii: "%") { pending = [byte] } else { result.append(byte) }
            }
        }
        return result + pending
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the bytes of Base64 text (WHATWG Infra, "forgiving-base64 decode"): ASCII whitespace is skipped, padding
    /// is optional; `nil` if the text is invalid.
    private static func base64Decoded(_ bytes: [UInt8]) -> Data? {
        var stripped = bytes.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
        if stripped.count % 4 == 0 {
            for _ in 0..<2 where stripped.last == UInt8(ascii: "=") {
                stripped.removeLast()
            }
        }
        guard stripped.count % 4 != 1, !stripped.contains(UInt8(ascii: "=")) else { return nil }
        stripped += Array(repeating: UInt8(ascii: "="), count: (4 - stripped.count % 4) % 4)
        return Data(base64Encoded: Data(stripped))
    }
}

/// The reason that a `data:` URL has no bytes.
public enum DataURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text does not start with "data:".
    case notADataURL
    /// There is no comma between the media type and the body.
    case missingComma
    /// The body is declared as Base64 and is not valid.
    case invalidBase64

    /// A description of the error.
    public var description: String {
        switch self {
        case .notADataURL: "not a data URL"
        case .missingComma: "the data URL has no comma before its body"
        case .invalidBase64: "the data URL's body is not valid Base64"
        }
    }
}
