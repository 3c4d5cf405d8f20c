import Glibc
import HalcyonSystem

@testable import HalcyonFleet

/// A listener on a loopback port that is no engine: it answers with bytes of the test, or not at all.
final class FalseEngine: Sendable {
    /// What it does with a connection, once something was sent to it.
    enum Behavior: Sendable {
        /// Sends these bytes, and then nothing.
        case answer([UInt8])
        /// Sends these bytes over and over.
        case endless([UInt8])
        /// Sends these bytes one by one, so that each comes within any time limit of a socket.
        case trickle([UInt8])
        /// Closes the connection.
        case close
        /// Passes everything on to an engine. The function is called before each piece of its replies is passed back: it may
        /// block, and closes the connection in place of that with `false`.
        case relay(port: Int, passesReply: @Sendable ([UInt8]) -> Bool)
    }

    let port: Int
    private let listener: Int32
    private let isOver = Lock(false)

    init(_ behavior: Behavior) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isBound else { throw FleetError.unreachable("127.0.0.1", reason: "bind: \(errno)") }
        SystemThread.detached { [listener, isOver] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, !isOver.withLock({ $0 }) else { break }
                SystemThread.detached { Self.serve(connection, behavior) }
            }
            close(listener)
        }
    }

    deinit {
        isOver.withLock { $0 = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private static func serve(_ connection: Int32, _ behavior: Behavior) {
        if case .relay(let port, let passesReply) = behavior {
            relay(connection, to: port, passesReply)
            return
        }
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        guard read(connection, &buffer, buffer.count) > 0 else { return }
        switch behavior {
        case .answer(let bytes):
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            while read(connection, &buffer, buffer.count) > 0 {}
        case .endless(let bytes):
            while send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
        case .trickle(let bytes):
            for byte in bytes {
                guard send(connection, [byte], 1, Int32(MSG_NOSIGNAL)) == 1 else { return }
                usleep(2_000)
            }
        case .close, .relay: break
        }
    }

    private static func relay(_ connection: Int32, to port: Int, _ passesReply: @Sendable ([UInt8]) -> Bool) {
        let engine = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(engine, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(connection)
            return
        }
        @Sendable func copy(_ from: Int32, _ to: Int32, _ passes: ([UInt8]) -> Bool) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(from, &buffer, buffer.count)
                guard count > 0, passes(Array(buffer.prefix(count))) else { break }
                guard send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
            }
            shutdown(to, Int32(SHUT_RDWR))
            shutdown(from, Int32(SHUT_RDWR))
        }
        SystemThread.detached {
            copy(connection, engine) { _ in true }
            close(connection)
        }
        copy(engine, connection, passesReply)
        close(engine)
    }
}
