internal import Glibc

/// An address of IP version 4 or 6.
package enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    /// An address of version 6, as its upper and its lower half.
    case v6(UInt64, UInt64)

    /// Reads the usual notation: four numbers, or eight groups with at most one gap (RFC 4291, section 2.2), without
    /// brackets.
    package init?(_ text: some StringProtocol) {
        // C would stop reading at the zero.
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self = withUnsafeBytes(of: six) { .v6(Self.number($0[..<8]), Self.number($0[8...])) }
    }

    /// Reads the host of a URL: also in brackets, with a zone, and version 4 in the notations with fewer than four
    /// parts, and in octal and hexadecimal (as `inet_aton` and browsers read them).
    package init?(host: String) {
        guard !host.utf8.contains(0) else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") {
            self.init(host.dropFirst().dropLast().prefix { $0 != "%" })
            return
        }
        if let address = IPAddress(host) {
            self = address
            return
        }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        // `inet_aton` ignores the text after white space.
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var four = in_addr()
        guard inet_aton(name, &four) != 0 else { return nil }
        self = .v4(UInt32(bigEndian: four.s_addr))
    }

    /// Reads the address to which libcurl is about to connect; `nil` for another family or a length that is too short.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self = withUnsafeBytes(of: address) { .v6(Self.number($0[..<8]), Self.number($0[8...])) }
        default:
            return nil
        }
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in the notation of RFC 5952.
    package var description: String {
        switch self {
        case .v4(let number):
            return [24, 16, 8, 0].map { String(number >> $0 & 0xFF) }.joined(separator: ".")
        case .v6(let high, let low):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                guard let start = text.baseAddress,
                    inet_ntop(AF_INET6, &address, start, socklen_t(text.count)) != nil
                else { return "" }
                return String(cString: start)
            }
        }
    }
}
