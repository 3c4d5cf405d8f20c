package import FoundationEssentials

/// Documents in UTF-16 that say so by a byte order mark.
package enum UTF16Text {
    /// The text in UTF-8, without the mark; `nil` where there is no mark. What is no text becomes U+FFFD, and half a
    /// unit at the end is left out.
    package static func utf8(_ data: Data) -> Data? {
        let isBigEndian = data.starts(with: [0xfe, 0xff])
        guard isBigEndian || data.starts(with: [0xff, 0xfe]) else {
            return nil
        }
        var units: [UInt16] = []
        units.reserveCapacity(data.count / 2)
        var high: UInt8?
        for byte in data.dropFirst(2) {
            if let first = high {
                units.append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
                high = nil
            } else {
                high = byte
            }
        }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }
}
