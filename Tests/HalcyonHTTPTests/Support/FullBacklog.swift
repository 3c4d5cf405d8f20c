import Glibc
import Testing

/// A listening port whose queue is full, so that the system drops every further connection attempt.
struct FullBacklog {
    let number: Int
    private let sockets: [Int32]

    /// Whether this machine has ::1.
    static let hasIPv6 = (try? FullBacklog(isIPv6: true))?.close() != nil

    /// On a port of 127.0.0.1 or ::1, a free one if it is 0.
    init(port: Int = 0, isIPv6: Bool = false) throws {
        var address = sockaddr_storage()
        let length: Int
        if isIPv6 {
            length = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &address) { bytes in
                var ipv6 = sockaddr_in6()
                ipv6.sin6_family = sa_family_t(AF_INET6)
                ipv6.sin6_port = in_port_t(port).bigEndian
                ipv6.sin6_addr = in6addr_loopback
                bytes.storeBytes(of: ipv6, as: sockaddr_in6.self)
            }
        } else {
            length = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &address) { bytes in
                var ipv4 = sockaddr_in()
                ipv4.sin_family = sa_family_t(AF_INET)
                ipv4.sin_port = in_port_t(port).bigEndian
                ipv4.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
                bytes.storeBytes(of: ipv4, as: sockaddr_in.self)
            }
        }
        let family = isIPv6 ? AF_INET6 : AF_INET
        let listener = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var size = socklen_t(length)
        var sockets = [listener]
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, size) == 0, listen(listener, 0) == 0,
                    getsockname(listener, generic, &size) == 0
                else { return false }
                // The queue takes one more than it is told to.
                for _ in 0..<3 {
                    let client = socket(
                        family,
                        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
                        0
                    )
                    _ = connect(client, generic, size)
                    sockets.append(client)
                }
                return true
            }
        }
        guard isListening else {
            for socket in sockets { Glibc.close(socket) }
            throw Failure()
        }
        self.sockets = sockets
        // The port stands at the same place in both.
        number = withUnsafeBytes(of: &address) { bytes in
            Int(in_port_t(bigEndian: bytes.load(as: sockaddr_in.self).sin_port))
        }
    }

    struct Failure: Error {}

    func close() {
        for socket in sockets { Glibc.close(socket) }
    }
}
