extension UInt8 {
    /// The letter in lower case; any other byte as it is.
    var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// A Boolean value that indicates whether the byte is white space of a field: a space or a tab.
    var isFieldSpace: Bool { self == 0x20 || self == 0x09 }

    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    var isASCIIAlphanumeric: Bool { isASCIIDigit || (0x61...0x7A).contains(asciiLowercase) }

    /// A Boolean value that indicates whether the byte may be in a token (RFC 9110, section 5.6.2).
    package var isTokenByte: Bool { isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension Substring {
    /// The text without white space on either side.
    var trimmingFieldSpace: Substring {
        guard let first = utf8.firstIndex(where: { !$0.isFieldSpace }),
            let last = utf8.lastIndex(where: { !$0.isFieldSpace })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}
