/// A content coding that can be undone (RFC 9110, section 8.4.1).
enum ContentCoding: String, Sendable, Hashable {
    /// The gzip format, RFC 1952.
    case gzip
    /// The zlib format, RFC 1950, or, as some servers send it, RFC 1951 alone.
    case deflate

    /// The value of `Accept-Encoding` in requests.
    static let accepted = "gzip, deflate"
}
