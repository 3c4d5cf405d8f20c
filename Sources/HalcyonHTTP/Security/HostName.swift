internal import HalcyonFiles

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
}
