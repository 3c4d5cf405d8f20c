internal import Glibc

/// A system call that failed for an ``OriginServer`` or a ``ProxyServer``.
public struct OriginServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call.
    public let call: String
    /// The `errno` of the call.
    public let code: Int32

    /// The error in words: "bind: Address already in use".
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
