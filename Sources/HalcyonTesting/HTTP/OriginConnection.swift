internal import Glibc
internal import HTTPTypes
internal import HalcyonSystem

/// One accepted connection of an ``OriginServer``; used by its own thread, and interrupted by the server.
///
/// Unchecked: `received` belongs to the connection's thread; the socket is closed under the lock.
final class OriginConnection: @unchecked Sendable {
    struct State {
        var isOpen = true
        var isInterrupted = false
        /// The semaphore on which the thread waits at a gate.
        var blocked: Semaphore?
    }

    /// The most bytes of one request's head or body; more end the connection.
    static let maximumRequestBytes = 16 << 20

    let number: Int
    let socket: Int32
    let state = Lock(State())
    var received: [UInt8] = []

    init(socket: Int32, number: Int) {
        self.socket = socket
        self.number = number
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends the wait of the thread, from any thread.
    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            if state.isOpen { shutdown(socket, Int32(SHUT_RDWR)) }
            state.blocked?.signal()
        }
    }

    /// Closes the socket; called once, by the connection's thread, at its end.
    func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            Glibc.close(socket)
        }
    }
}
