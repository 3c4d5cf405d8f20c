/// A version of Transport Layer Security.
public enum TLSVersion: Sendable, Hashable, Comparable {
    /// TLS 1.2 (RFC 5246).
    case v1_2
    /// TLS 1.3 (RFC 8446).
    case v1_3
}
