internal import Glibc

/// A port of 127.0.0.1 that refuses connections, and that no server gets meanwhile.
///
/// A port on which a server has ended is not: the system may give it to the next one at once.
public final class UnansweredPort: Sendable {
    /// The number of the port.
    public let number: Int
    private let socket: Int32

    /// Reserves a port until this object is released.
    ///
    /// Throws ``OriginServerError`` where the system refuses.
    public init() throws {
        (socket, number) = try LoopbackSocket.reserve()
    }

    deinit {
        close(socket)
    }
}
