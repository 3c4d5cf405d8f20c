internal import CIDN2

/// Host names that are not ASCII, of which the name system knows another form (RFC 5891).
///
/// `FoundationEssentials` does not convert them, and libcurl does by the locale of the process.
package enum InternationalHost {
    /// The most bytes of a name that are looked at. A name of 253 bytes, the longest, has no longer form that people write.
    private static let maximumBytes = 2_048

    /// Returns the ASCII form of a host, "xn--mnchen-3ya.de" for "münchen.de"; `nil` if it has none (UTS #46, nontransitional
    /// processing).
    package static func ascii(_ host: String) -> String? {
        guard host.utf8.count <= maximumBytes, !host.utf8.contains(0) else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let code = Array(host.utf8 + [0]).withUnsafeBufferPointer { halcyon_idn2_lookup($0.baseAddress, &output) }
        // The library has allocated it, and it ends with a zero byte.
        guard code == IDN2_OK.rawValue, let output else { return nil }
        defer { idn2_free(output) }
        return String(cString: output)
    }
}
