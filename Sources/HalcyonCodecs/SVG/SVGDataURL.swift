#if SVG
internal import FoundationEssentials

/// Addresses that hold what they refer to (RFC 2397).
enum SVGDataURL {
    /// The bytes, or `nil` where the text is no such address.
    static func payload(of reference: [UInt8]) -> Data? {
        let text = reference.drop { $0 <= 0x20 }
        guard text.prefix(5).elementsEqual("data:".utf8, by: { $0 | 0x20 == $1 || $0 == $1 }),
            let comma = text.firstIndex(of: UInt8(ascii: ","))
        else {
            return nil
        }
        let bytes = percentDecoded(text[text.index(after: comma)...])
        let parameters = String(decoding: text[..<comma], as: UTF8.self).lowercased()
        guard parameters.split(separator: ";").dropFirst().contains(where: { $0.trimmed == "base64" }) else {
            return Data(bytes)
        }
        return Data(base64Encoded: Data(padded(bytes)), options: .ignoreUnknownCharacters) ?? Data([0])
    }

    /// Returns the place of the type in an address that has none; `nil` where there is one, or no such address.
    static func placeOfMissingType(in text: Data) -> Data.Index? {
        let text = text.drop { $0 <= 0x20 }
        let scheme = text.prefix(5)
        guard scheme.elementsEqual("data:".utf8, by: { $0 | 0x20 == $1 || $0 == $1 }), scheme.endIndex < text.endIndex,
            [UInt8(ascii: ";"), UInt8(ascii: ",")].contains(text[scheme.endIndex])
        else {
            return nil
        }
        return scheme.endIndex
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
                let value = UInt8(String(decoding: text[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }

    /// The digits alone, with the padding that may be left out.
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.filter { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return digits + [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var slice = drop(while: \.isWhitespace)
        while slice.last?.isWhitespace == true { slice.removeLast() }
        return slice
    }
}
#endif
