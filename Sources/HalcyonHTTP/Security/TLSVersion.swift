/// A version of Transport Layer Security.
public enum TLSVersion: Sendable, Hashable, Comparable {
    /// RFC 5246.
    case v1_2
    /// RFC 8446.
    case v1_3
}
