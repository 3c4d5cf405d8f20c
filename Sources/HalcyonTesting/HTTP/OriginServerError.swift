internal import Glibc

/// A system call that failed for an ``OriginServer`` or a ``ProxyServer``.
public struct OriginServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call.
    public let call: String
    /// Its `errno`.
    public let code: Int32

    /// "bind: Address already in use".
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
