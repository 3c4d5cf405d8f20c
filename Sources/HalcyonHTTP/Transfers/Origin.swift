/// The scheme, host and port of a URL, to which credentials, connections and limits belong (RFC 6454, section 4).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package let isSecure: Bool
    /// The host in lower case and ASCII, without escapes; an IPv6 address keeps its brackets.
    package let host: String
    package let port: Int

    /// Reads the origin of a URL; `nil` unless `url` is an absolute `http` or `https` URL with a host. Only reads the
    /// part before the path; libcurl checks the rest of the URL.
    package init?(_ url: String) {
        var url = url
        let parsed = url.withUTF8 { Origin.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// The text "host:port", for messages.
    package var description: String { "\(host):\(port)" }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Origin? {
        guard let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isSecure: Bool
        switch bytes[..<schemeEnd] {
        case let scheme where equals(scheme, "http"): isSecure = false
        case let scheme where equals(scheme, "https"): isSecure = true
        default: return nil
        }
        let start = schemeEnd + 3
        guard start < bytes.count, bytes[schemeEnd + 1] == UInt8(ascii: "/"), bytes[schemeEnd + 2] == UInt8(ascii: "/")
        else { return nil }

        // One pass over the bytes: a transfer that is cancelled before its turn does little else.
        var hostStart = start
        var colon: Int?
        var isPlain = true
        var end = start
        while end < bytes.count, !endsAuthority(bytes[end]) {
            switch bytes[end] {
            case UInt8(ascii: "@"):
                hostStart = end + 1
                colon = nil
                isPlain = true
            case UInt8(ascii: ":"): colon = end
            // A colon before it belongs to an IPv6 address.
            case UInt8(ascii: "]"): colon = nil
            case 0x41...0x5A, 0x80..., UInt8(ascii: "%"): isPlain = false
            default: break
            }
            end += 1
        }
        var port = isSecure ? 443 : 80
        if let colon, colon + 1 < end {
            guard let given = UInt16(String(decoding: bytes[(colon + 1)..<end], as: UTF8.self)) else { return nil }
            port = Int(given)
        }
        let host = UnsafeBufferPointer(rebasing: bytes[hostStart..<(colon ?? end)])
        guard !host.isEmpty, host.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        let name = String(decoding: host, as: UTF8.self)
        guard let host = isPlain ? name : HostName.ascii(name) else { return nil }
        return Origin(isSecure: isSecure, host: host, port: port)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
        default: false
        }
    }

    private static func equals(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ lowercase: StaticString) -> Bool {
        guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            zip(bytes, expected).allSatisfy { $0 | 0x20 == $1 }
        }
    }
}
