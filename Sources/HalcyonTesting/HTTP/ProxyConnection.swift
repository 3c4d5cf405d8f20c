internal import Glibc

/// One client of a ``ProxyServer``, and the server it was connected with; used by the client's thread.
struct ProxyConnection {
    let client: Int32
    let server: ProxyServer
    var received: [UInt8] = []

    init(client: Int32, server: ProxyServer) {
        self.client = client
        self.server = server
    }

    /// Serves the client until it or the server ends the connection.
    mutating func serve() {
        switch server.kind {
        case .http: serveHTTP()
        case .socks5: serveSOCKS()
        }
    }

    func connect(to target: String) -> Int32? {
        let port = server.routes[target] ?? target.split(separator: ":").last.flatMap { Int($0) }
        return port.flatMap(LoopbackSocket.connect)
    }

    /// Carries bytes both ways until one side ends, and closes `upstream`.
    mutating func relay(_ upstream: Int32) {
        guard let number = server.register(upstream, isClient: false) else {
            close(upstream)
            return
        }
        defer { server.unregister(number) }
        guard Self.send(received, to: upstream) else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var sockets = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&sockets, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return
            }
            for (index, other) in [(0, upstream), (1, client)] where sockets[index].revents != 0 {
                let count = recv(sockets[index].fd, &buffer, buffer.count, 0)
                guard count > 0, Self.send(buffer[..<count], to: other) else { return }
            }
        }
    }

    mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    func send(_ bytes: [UInt8]) -> Bool { Self.send(bytes, to: client) }

    private static func send(_ bytes: some RandomAccessCollection<UInt8>, to socket: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
