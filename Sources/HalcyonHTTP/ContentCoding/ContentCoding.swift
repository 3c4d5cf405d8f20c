/// A content coding that can be undone (RFC 9110, section 8.4.1).
enum ContentCoding: String, Sendable, Hashable {
    /// RFC 1952.
    case gzip
    /// RFC 1950, or, as some servers send it, RFC 1951 alone.
    case deflate

    /// What requests ask for.
    static let accepted = "gzip, deflate"
}
