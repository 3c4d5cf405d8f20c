internal import Glibc
internal import HalcyonSystem

/// The parts that the servers of this module share: sockets on 127.0.0.1, and threads.
enum LoopbackSocket {
    /// Returns a listening socket and its port.
    static func listen(port: Int = 0) throws -> (Int32, Int) {
        try bind(port: port, listens: true)
    }

    /// Returns a socket that has a port of its own, on which no server listens.
    static func reserve() throws -> (Int32, Int) {
        try bind(port: 0, listens: false)
    }

    private static func bind(port: Int, listens: Bool) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw OriginServerError(call: "socket", code: errno) }
        if listens {
            // Not for a socket that only keeps its port: two that may share one may also get the same.
            var yes: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = address(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let call = withUnsafeMutablePointer(to: &address) { pointer -> String? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                if Glibc.bind(listener, generic, length) != 0 { return "bind" }
                if listens, Glibc.listen(listener, 1024) != 0 { return "listen" }
                return getsockname(listener, generic, &length) == 0 ? nil : "getsockname"
            }
        }
        if let call {
            let error = OriginServerError(call: call, code: errno)
            close(listener)
            throw error
        }
        return (listener, Int(in_port_t(bigEndian: address.sin_port)))
    }

    /// Returns a socket connected to `port`; `nil` if no server listens there.
    static func connect(port: Int) -> Int32? {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard client >= 0 else { return nil }
        var address = address(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(client)
            return nil
        }
        var yes: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return client
    }

    /// Returns the next connection, closed on exec from the start, so that no process that is started meanwhile keeps
    /// it open; -1 with `errno` where there is none.
    static func accept(_ listener: Int32) -> Int32 {
        guard let acceptClosingOnExec else {
            let client = Glibc.accept(listener, nil, nil)
            if client >= 0 { _ = fcntl(client, F_SETFD, FD_CLOEXEC) }
            return client
        }
        return acceptClosingOnExec(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
    }

    private typealias Accept =
        @convention(c) (
            Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32
        ) -> Int32

    /// The function accept4(2), which Swift does not import because the header declares it for `_GNU_SOURCE` alone; the
    /// symbol is a function of this type.
    private static let acceptClosingOnExec = dlsym(nil, "accept4").map { unsafeBitCast($0, to: Accept.self) }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    /// Runs `body` on a new thread.
    static func spawn(_ body: @escaping @Sendable () -> Void) throws {
        guard SystemThread.detached(body) else { throw OriginServerError(call: "pthread_create", code: EAGAIN) }
    }
}
