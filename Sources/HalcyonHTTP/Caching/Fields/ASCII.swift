extension UInt8 {
    /// The letter in lower case; any other byte as it is.
    var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// White space as fields have it: space and tab.
    var isFieldSpace: Bool { self == 0x20 || self == 0x09 }

    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}

extension Substring {
    /// Without white space on either side.
    var trimmingFieldSpace: Substring {
        guard let first = utf8.firstIndex(where: { !$0.isFieldSpace }),
            let last = utf8.lastIndex(where: { !$0.isFieldSpace })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}
