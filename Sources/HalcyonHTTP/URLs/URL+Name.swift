package import FoundationEssentials
internal import HalcyonSystem

extension URL {
    /// The name of the resource: the same for all spellings that mean the same to a server (RFC 3986, section 6.2.2 and
    /// 6.2.3; RFC 9111, section 2), and of use as a part of keys alone, as a signature may be of one spelling.
    ///
    /// It has no user name and no fragment; scheme and host are in lower case, a default port is left out, escapes of
    /// unreserved characters are undone and others in upper case, and dot segments are removed. URLs of other schemes than
    /// `http` and `https` keep their spelling.
    package var name: String {
        let url = withoutUser
        return url.otherSpelling ?? url.absoluteString
    }

    /// The URL in the spelling that is the same for all that mean the same, with its user name; see ``name``.
    package var normalized: URL { otherSpelling.flatMap { URL(string: $0) } ?? self }

    /// The URL as it is sent; see ``URLSpelling/sent(_:)``.
    package var sent: URL {
        let text = absoluteString
        let sent = URLSpelling.sent(text)
        return sent.utf8.count == text.utf8.count ? self : URL(string: sent) ?? self
    }

    /// The spelling that is the same for all that mean the same; `nil` if the URL has it.
    fileprivate var otherSpelling: String? {
        var text = absoluteString
        return text.withUTF8 { URLSpelling($0).normalized() }
    }
}

extension TransferRequest {
    /// The request with its URL in the spelling that is the same for all that mean the same, for keys; see ``URL/name``.
    package var normalized: TransferRequest {
        guard let url = url.otherSpelling.flatMap({ URL(string: $0) }) else { return self }
        var request = self
        request.url = url
        return request
    }
}

/// The spelling of a URL.
package struct URLSpelling {
    private let bytes: UnsafeBufferPointer<UInt8>

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// A Boolean value that indicates whether this is the spelling that names the resource; see ``URL/name``.
    package var isNormalized: Bool { normalized() == nil }

    /// Returns the spelling that names the resource; `nil` for this one.
    func normalized() -> String? {
        guard let schemeEnd, let authority = authority(from: schemeEnd + 3) else { return nil }
        let pathEnd = bytes[authority.end...].firstIndex { $0 == Self.question || $0 == Self.hash } ?? bytes.count
        let end = bytes[pathEnd...].firstIndex(of: Self.hash) ?? bytes.count
        let isPathNormal =
            authority.end < pathEnd && !hasDots(authority.end..<pathEnd)
            && !Self.needsEscaping(bytes[authority.end..<end])
        if authority.isNormal, isPathNormal, end == bytes.count, bytes[..<schemeEnd].allSatisfy({ $0 >= 0x61 }) {
            return nil
        }
        var result = bytes[..<schemeEnd].map { $0 | 0x20 }
        result += [UInt8(ascii: ":"), Self.slash, Self.slash]
        result += authority.user
        result += Self.normalizedEscapes(authority.host).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if let port = authority.port { result += [UInt8(ascii: ":")] + port }
        result += Self.withoutDots(Self.normalizedEscapes(bytes[authority.end..<pathEnd]))
        result += Self.normalizedEscapes(bytes[pathEnd..<end])
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns a URL as it is sent: without dot segments in its path, escaped ones included (RFC 3986, section 5.2.4; WHATWG
    /// URL, section 4.4), and byte for byte the same otherwise, as a signature may be of the spelling.
    ///
    /// Its name has none either: a server to which "/a/../b" is another resource than "/b" would answer for both.
    static func sent(_ url: String) -> String {
        var text = url
        return text.withUTF8 { URLSpelling($0).withoutDotSegments() } ?? url
    }

    /// Returns the spelling without dot segments, and the same otherwise; `nil` for this one.
    private func withoutDotSegments() -> String? {
        guard let schemeEnd, let authority = authority(from: schemeEnd + 3) else { return nil }
        let pathEnd = bytes[authority.end...].firstIndex { $0 == Self.question || $0 == Self.hash } ?? bytes.count
        let path = bytes[authority.end..<pathEnd]
        guard hasDots(authority.end..<pathEnd) || path.contains(Self.percent) else { return nil }
        let plain = Self.withoutDots(Array(path))
        guard plain.count < path.count else { return nil }
        return String(decoding: Array(bytes[..<authority.end]) + plain + bytes[pathEnd...], as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let hash = UInt8(ascii: "#")
    private static let percent = UInt8(ascii: "%")
    private static let dot = UInt8(ascii: ".")

    /// The end of "http" or "https" before "://"; `nil` for other schemes.
    private var schemeEnd: Int? {
        for scheme in ["https", "http"] as [StaticString] {
            let count = scheme.utf8CodeUnitCount
            guard bytes.count > count + 3, bytes[count] == UInt8(ascii: ":"), bytes[count + 1] == Self.slash,
                bytes[count + 2] == Self.slash
            else { continue }
            let matches = scheme.withUTF8Buffer { name in (0..<count).allSatisfy { bytes[$0] | 0x20 == name[$0] } }
            if matches { return count }
        }
        return nil
    }

    private struct Authority {
        /// With the "@".
        var user: Slice<UnsafeBufferPointer<UInt8>>
        var host: Slice<UnsafeBufferPointer<UInt8>>
        /// The digits of a port other than the scheme's own.
        var port: [UInt8]?
        var end: Int
        var isNormal: Bool
    }

    /// Returns the part up to the path; `nil` where its port is none.
    private func authority(from start: Int) -> Authority? {
        var (hostStart, colon, end, isNormal) = (start, Int?.none, start, true)
        while end < bytes.count {
            switch bytes[end] {
            case Self.slash, Self.question, Self.hash:
                break
            case UInt8(ascii: "@"):
                (hostStart, colon, isNormal) = (end + 1, nil, true)
                end += 1
                continue
            case UInt8(ascii: ":"):
                colon = end
                end += 1
                continue
            case UInt8(ascii: "]"):
                // A colon before it belongs to an IPv6 address.
                colon = nil
                end += 1
                continue
            case 0x41...0x5A, Self.percent:
                isNormal = false
                end += 1
                continue
            default:
                end += 1
                continue
            }
            break
        }
        var port: [UInt8]?
        if let colon {
            let digits = bytes[(colon + 1)..<end]
            guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
            // The last digit stays: port 0 is none that is left out.
            let number = Array(digits.dropLast().drop { $0 == 0x30 }) + digits.suffix(1)
            let isSecure = start == "https://".utf8.count
            let isDefault = number.isEmpty || number.elementsEqual((isSecure ? "443" : "80").utf8)
            port = isDefault ? nil : number
            if isDefault || number.count < digits.count { isNormal = false }
        }
        return Authority(
            user: bytes[start..<hostStart],
            host: bytes[hostStart..<(colon ?? end)],
            port: port,
            end: end,
            isNormal: isNormal
        )
    }

    /// Returns whether a path has a segment "." or "..".
    private func hasDots(_ path: Range<Int>) -> Bool {
        var start = path.lowerBound
        while let found = bytes[start..<path.upperBound].firstIndex(of: Self.dot) {
            start = found + 1
            guard bytes[found - 1] == Self.slash else { continue }
            var next = found + 1
            if next < path.upperBound, bytes[next] == Self.dot { next += 1 }
            if next == path.upperBound || bytes[next] == Self.slash { return true }
        }
        return false
    }

    /// Returns a path without segments "." and "..", escaped ones included (RFC 3986, section 5.2.4), "/" for an empty one.
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        guard path.first == slash else { return [slash] + path }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dotCount(segment) {
            case 1:
                if isLast { kept.append([]) }
            case 2:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default:
                kept.append(segment)
            }
        }
        return kept.reduce(into: []) { $0 += [slash] + $1 }
    }

    /// Returns the number of dots that make up a segment, some of them escaped or not; `nil` for other segments.
    private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int? {
        var (rest, count) = (segment, 0)
        while let first = rest.first {
            if first == dot {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2E".utf8) || rest.starts(with: "%2e".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return nil
            }
            count += 1
        }
        return count
    }

    /// Returns whether an escape is of an unreserved character, or in lower case.
    private static func needsEscaping(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var start = text.startIndex
        while let found = text[start...].firstIndex(of: percent) {
            start = found + 1
            guard let escape = Escape(text[start...].prefix(2)) else { continue }
            if escape.isUnreserved || text[start...].prefix(2).contains(where: { $0 >= 0x61 }) { return true }
        }
        return false
    }

    /// Returns a text with the escapes of unreserved characters undone, and the others in upper case. What is no escape
    /// stays.
    private static func normalizedEscapes(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let digits = text[(index + 1)...].prefix(2)
            if text[index] == percent, let escape = Escape(digits) {
                if escape.isUnreserved {
                    result.append(escape.byte)
                } else {
                    result.append(percent)
                    result += digits.map { $0 >= 0x61 ? $0 & ~0x20 : $0 }
                }
                index += 3
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// An escaped byte.
    private struct Escape {
        let byte: UInt8

        init?(_ digits: Slice<UnsafeBufferPointer<UInt8>>) {
            let values = digits.compactMap(PercentEncoding.value(ofDigit:))
            guard values.count == 2 else { return nil }
            byte = values[0] << 4 | values[1]
        }

        /// A Boolean value that indicates whether the byte is a letter, a digit, or one of "-._~".
        var isUnreserved: Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
            default: false
            }
        }
    }
}
