internal import Glibc

/// Ports of this machine.
enum LoopbackPort {
    /// A port that nobody listens on at this moment.
    static func free() throws -> UInt16 {
        let descriptor = makeSocket()
        defer { close(descriptor) }
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withSocketAddress(&address) { bind(descriptor, $0, size) == 0 }
        guard isBound, withSocketAddress(&address, { getsockname(descriptor, $0, &size) == 0 }) else {
            throw BenchmarkError("no port of 127.0.0.1 is free: \(String(cString: strerror(errno)))")
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits until somebody listens, for five seconds at most.
    static func waitUntilOpen(_ port: UInt16) throws {
        for _ in 0..<500 {
            let descriptor = makeSocket()
            defer { close(descriptor) }
            var address = loopback(port)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            if withSocketAddress(&address, { connect(descriptor, $0, size) == 0 }) { return }
            usleep(10_000)
        }
        throw BenchmarkError("nobody listens on port \(port) of 127.0.0.1 after five seconds")
    }

    private static func makeSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
