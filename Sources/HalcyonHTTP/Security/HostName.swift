package import FoundationEssentials
internal import HalcyonSystem

/// The reading of URLs' hosts where it matters for security.
enum HostName {
    /// Returns the host in lower case, with percent escapes undone and every kind of full stop that IDNA knows (RFC
    /// 3490, section 3.1) plain.
    static func decoded(_ host: String) -> String {
        let scalars = PercentEncoding.decoded(host).unicodeScalars.map { scalar -> Character in
            ["\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar) ? "." : Character(scalar)
        }
        return String(scalars).lowercased()
    }

    /// Returns the host as requests have it: in lower case and ASCII, without percent escapes (WHATWG URL, section 3.5);
    /// `nil` if there is no such form.
    static func ascii(_ host: String) -> String? {
        if host.utf8.first == UInt8(ascii: "[") { return host.lowercased() }
        guard let decoded = PercentEncoding.strictlyDecoded(host) else { return nil }
        let isASCII = decoded.utf8.allSatisfy { $0 < 0x80 }
        guard let name = isASCII ? decoded.lowercased() : InternationalHost.ascii(decoded),
            !name.isEmpty, name.utf8.allSatisfy(isAllowed)
        else { return nil }
        return name
    }

    /// Returns the same for the name of a host in a program's settings, which may have a port; in lower case if it has no
    /// such form.
    static func normalized(_ name: String) -> String {
        let lowercase = name.lowercased()
        guard lowercase.utf8.contains(where: { $0 >= 0x80 }) else { return lowercase }
        let port = lowercase.utf8.lastIndex(of: UInt8(ascii: ":")).map { lowercase[$0...] } ?? ""
        return ascii(String(lowercase.dropLast(port.count))).map { $0 + port } ?? lowercase
    }

    /// Returns a URL, or a reference that begins with "//", with the host in the form of ``ascii(_:)``, the same if that has
    /// it already, or if there is none; `nil` if its host has no such form.
    static func withASCIIHost(_ url: String) -> String? {
        guard url.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else { return url }
        let bytes = Array(url.utf8)
        guard let range = range(in: bytes), bytes[range].contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }),
            bytes[range.lowerBound] != UInt8(ascii: "[")
        else { return url }
        guard let host = ascii(String(decoding: bytes[range], as: UTF8.self)) else { return nil }
        let plain = bytes[..<range.lowerBound] + Array(host.utf8) + bytes[range.upperBound...]
        return String(decoding: plain, as: UTF8.self)
    }

    /// Returns the place of the host in a URL of the web, or in a reference that begins with "//"; `nil` if it has none.
    private static func range(in bytes: [UInt8]) -> Range<Int>? {
        let slashes = Array("//".utf8)
        var start = 0
        for scheme in ["http:", "https:"] where bytes.count >= scheme.utf8.count {
            if zip(bytes, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { start = scheme.utf8.count }
        }
        guard bytes[start...].starts(with: slashes) else { return nil }
        start += slashes.count
        let end = bytes[start...].firstIndex { Array("/?#\\".utf8).contains($0) } ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        let bracket = bytes[start..<end].lastIndex(of: UInt8(ascii: "]")) ?? start
        let hostEnd = bytes[bracket..<end].lastIndex(of: UInt8(ascii: ":")) ?? end
        return start < hostEnd ? start..<hostEnd : nil
    }

    /// Returns whether a byte may be in a host (WHATWG URL, "forbidden domain code point").
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !Array("#%/:<>?@[\\]^|".utf8).contains(byte)
    }
}

extension URL {
    /// Creates a URL from text as people and servers write it, and as browsers read it (WHATWG URL, sections 3.5 and 4.4):
    /// blanks and control characters on either side do not count, nor do tabs and line ends inside, a backslash is a slash, and
    /// the host may be international. What it is relative to counts as it was sent; a reference to it may have more slashes
    /// before its host, or fewer behind its scheme.
    package init?(written text: String, relativeTo base: URL? = nil) {
        let text = Self.withSlashes(Self.withoutBlanks(text))
        guard let plain = HostName.withASCIIHost(base.map { Self.withTwoSlashes(text, from: $0) } ?? text) else {
            return nil
        }
        self.init(string: Self.withEscapes(plain), relativeTo: base?.sent)
    }

    /// Returns the text with escapes for the bytes behind its authority that a URL must not have as they are (RFC 3986), and
    /// with those that it has as they are. Where anything was to be escaped, Foundation would escape each "%" once more.
    private static func withEscapes(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isEnd: (UInt8) -> Bool = { "/?#".utf8.contains($0) }
        var start = bytes.firstIndex(where: isEnd) ?? bytes.endIndex
        let isAuthority =
            bytes[start...].starts(with: "//".utf8) && (start == 0 || bytes[start - 1] == UInt8(ascii: ":"))
        start = isAuthority ? bytes[(start + 2)...].firstIndex(where: isEnd) ?? bytes.endIndex : 0
        var index = start
        var isFragment = false
        let rest = PercentEncoding.encoded(Array(bytes[start...])) { byte in
            defer { index += 1 }
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
            case UInt8(ascii: "%"):
                return bytes[(index + 1)...].prefix(2).compactMap(PercentEncoding.value(ofDigit:)).count == 2
            case UInt8(ascii: "#"):
                defer { isFragment = true }
                return !isFragment
            default: return "-._~:/?@!$&'()*+,;=".utf8.contains(byte)
            }
        }
        return String(decoding: bytes[..<start], as: UTF8.self) + rest
    }

    /// Returns a reference with two slashes before its host, or without the scheme that it shares with its base if it has no
    /// host (WHATWG URL, "special relative or authority state" and "special authority ignore slashes state").
    private static func withTwoSlashes(_ text: String, from base: URL) -> String {
        let slash = UInt8(ascii: "/")
        let scheme = ["http:", "https:"].first { text.prefix($0.utf8.count).lowercased() == $0 } ?? ""
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let host = rest.drop { $0 == slash }
        let count = rest.count - host.count
        if count < 2, scheme.isEmpty || base.scheme.map({ $0.lowercased() + ":" == scheme }) ?? true {
            return String(Substring(rest))
        }
        return count == 2 ? text : scheme + "//" + String(Substring(host))
    }

    /// Returns the text of a URL of the web, or of a reference, with slashes for the backslashes before its query. Otherwise
    /// the host would be another one than in browsers where a backslash ends it.
    private static func withSlashes(_ text: String) -> String {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        guard text.utf8.contains(backslash) else { return text }
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let scheme = text.utf8[..<end].prefix { $0 != slash && $0 != backslash }
            .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let isOfWeb = scheme.count < 2 || ["http", "https"].contains(String(Substring(scheme[0])).lowercased())
        guard isOfWeb else { return text }
        // By bytes: with a combining mark behind it, a backslash is another character.
        let bytes = text.utf8[..<end].map { $0 == backslash ? slash : $0 } + text.utf8[end...]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text without what browsers take off a URL.
    package static func withoutBlanks(_ text: String) -> String {
        let isInside: (UInt8) -> Bool = { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        let isAround: (UInt8) -> Bool = { $0 <= 0x20 }
        let utf8 = text.utf8
        guard utf8.contains(where: isInside) || utf8.first.map(isAround) ?? false || utf8.last.map(isAround) ?? false
        else { return text }
        var bytes = utf8.drop(while: isAround)
        while let last = bytes.last, isAround(last) { bytes = bytes.dropLast() }
        return String(decoding: bytes.filter { !isInside($0) }, as: UTF8.self)
    }
}
