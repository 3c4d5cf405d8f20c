package import FoundationEssentials

/// Base64 (RFC 4648), read as browsers do (WHATWG Infra, "forgiving-base64 decode"): ASCII whitespace is skipped, and
/// padding may be left out.
package enum Base64 {
    /// Returns the bytes that a text stands for.
    ///
    /// - Parameters:
    ///   - text: ASCII text.
    ///   - isURLSafe: A Boolean value that indicates whether `-` and `_` are read as `+` and `/` as well (RFC 4648,
    ///     section 5). Default: `false`.
    /// - Throws: ``Base64Error``.
    package static func data(of text: [UInt8], isURLSafe: Bool = false) throws(Base64Error) -> Data {
        var digits = text.filter { !isSpace($0) }
        if isURLSafe { digits = digits.map(standardDigit) }
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        if let invalid = digits.firstIndex(where: { !isDigit($0) }) {
            throw .invalidCharacter(offset: offset(ofDigit: invalid, in: text))
        }
        guard digits.count % 4 != 1, let data = data(ofDigits: digits) else { throw .incomplete(digits.count) }
        return data
    }

    /// Returns the bytes that digits without padding stand for; `nil` where they are none.
    package static func data(ofDigits digits: [UInt8]) -> Data? {
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits + padding))
    }

    /// Returns whether a character is a digit of the standard alphabet (RFC 4648, section 4).
    package static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func standardDigit(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }

    private static func isSpace(_ character: UInt8) -> Bool {
        [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(character)
    }

    /// Returns the place in a text of one of its characters that are no spaces.
    private static func offset(ofDigit index: Int, in text: [UInt8]) -> Int {
        let places = text.indices.lazy.filter { !isSpace(text[$0]) }
        return places.dropFirst(index).first ?? text.count
    }
}

/// The reason that a text is no Base64.
public enum Base64Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// A character is no digit, or padding stands where there is none: its place in UTF-8, from 0.
    case invalidCharacter(offset: Int)
    /// This number of digits stands for no whole number of bytes.
    case incomplete(Int)

    /// A description of the error.
    public var description: String {
        switch self {
        case .invalidCharacter(let offset): "the text is not Base64: the character at byte \(offset) is no digit"
        case .incomplete(let count): "the text is not Base64: \(count) digits stand for no whole number of bytes"
        }
    }
}
