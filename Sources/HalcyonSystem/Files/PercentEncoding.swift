/// Percent-encoding (RFC 3986, section 2.1), which `FoundationEssentials` does not undo.
package enum PercentEncoding {
    /// Returns the text without escapes, as browsers read it.
    ///
    /// A percent sign that is not followed by two hexadecimal digits stays. Bytes that are not UTF-8 are replaced by
    /// U+FFFD.
    package static func decoded(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(percent) else { return String(text) }
        return String(decoding: decode(Array(text.utf8)[...]).bytes, as: UTF8.self)
    }

    /// Returns the text without escapes; `nil` where a percent sign is not followed by two hexadecimal digits, or the
    /// bytes are not UTF-8.
    package static func strictlyDecoded(_ text: some StringProtocol) -> String? {
        let (bytes, isWellFormed) = decode(Array(text.utf8)[...])
        return isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// Returns the bytes without escapes. A percent sign that is not followed by two hexadecimal digits stays.
    package static func decodedBytes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        decode(text).bytes
    }

    /// Returns the UTF-8 bytes of a text with escapes in upper case in place of all that are not kept.
    ///
    /// - Parameter isKept: Returns whether a byte stays as it is.
    package static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        encoded(Array(text.utf8), keeping: isKept)
    }

    /// Returns a text with escapes in upper case in place of all bytes that are not kept.
    ///
    /// - Parameter isKept: Returns whether a byte, which is one of ASCII, stays as it is.
    package static func encoded(_ bytes: [UInt8], keeping isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = bytes.flatMap { byte in
            isKept(byte) ? [byte] : [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let percent = UInt8(ascii: "%")

    private static func decode(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], isWellFormed: Bool) {
        guard var index = text.firstIndex(of: percent) else { return (Array(text), true) }
        var bytes = Array(text[..<index])
        bytes.reserveCapacity(text.count)
        var isWellFormed = true
        while index < text.endIndex {
            let byte = text[index]
            if byte != percent {
                bytes.append(byte)
                index += 1
            } else if text.endIndex - index > 2, let high = value(ofDigit: text[index + 1]),
                let low = value(ofDigit: text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(byte)
                isWellFormed = false
                index += 1
            }
        }
        return (bytes, isWellFormed)
    }

    /// Returns the value of a hexadecimal digit; `nil` for another byte.
    package static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
