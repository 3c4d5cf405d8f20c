internal import FoundationEssentials

extension URL {
    /// Creates a URL from a text in which characters may stand as they are that a URL has as escapes alone (RFC 3986). The
    /// escapes of the text stay; Foundation would escape each of them once more where it escapes anything.
    init?(escaping text: String) {
        let bytes = Array(text.utf8)
        let start = text.firstRange(of: "://").map { text.utf8.distance(from: text.startIndex, to: $0.upperBound) } ?? 0
        let pathStart = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        var escaped: [UInt8] = []
        var hasFragment = false
        for (index, byte) in bytes.enumerated() {
            let staysAsItIs =
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "%"): bytes[(index + 1)...].prefix(2).filter(Self.isHexadecimalDigit).count == 2
                case UInt8(ascii: "#"): !hasFragment
                // Around an IPv6 address.
                case UInt8(ascii: "["), UInt8(ascii: "]"): index < pathStart
                default: "-._~:/?@!$&'()*+,;=".utf8.contains(byte)
                }
            hasFragment = hasFragment || byte == UInt8(ascii: "#")
            if staysAsItIs {
                escaped.append(byte)
            } else {
                escaped += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
            }
        }
        self.init(string: String(decoding: escaped, as: UTF8.self))
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
