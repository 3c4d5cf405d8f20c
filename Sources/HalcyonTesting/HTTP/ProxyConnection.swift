internal import FoundationEssentials
internal import Glibc
internal import HTTPTypes

/// One client of a ``ProxyServer``, and the server it was connected with; used by the client's thread.
struct ProxyConnection {
    private let client: Int32
    private let server: ProxyServer
    private var received: [UInt8] = []

    init(client: Int32, server: ProxyServer) {
        self.client = client
        self.server = server
    }

    /// Until client or server have had enough.
    mutating func serve() {
        switch server.kind {
        case .http: serveHTTP()
        case .socks5: serveSOCKS()
        }
    }

    // MARK: HTTP

    private mutating func serveHTTP() {
        while let head = receiveHead() {
            let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
            let parts = lines.first?.split(separator: " ").map(String.init) ?? []
            guard parts.count == 3 else { return }
            var headers = HTTPFields()
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
                    return
                }
                headers.append(
                    HTTPField(name: name, value: line[line.index(after: colon)...].drop { $0 == " " }.description)
                )
            }
            server.note(.init(method: parts[0], target: parts[1], headers: headers))
            guard isProved(headers[.proxyAuthorization]) else {
                let headers: HTTPFields = [.proxyAuthenticate: server.challenge, .contentLength: "0"]
                guard send(OriginServer.Response.head(407, headers: headers)) else { return }
                continue
            }
            if parts[0] == "CONNECT" {
                guard let origin = connect(to: parts[1]) else {
                    _ = send(OriginServer.Response.head(502, headers: [.contentLength: "0"]))
                    return
                }
                guard send(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)) else { return }
                relay(origin)
                return
            }
            // The connection then belongs to this server: enough for a test, which uses one host at a time.
            guard let url = URL(string: parts[1]), let host = url.host(),
                let origin = connect(to: "\(host):\(url.port ?? 80)")
            else {
                _ = send(OriginServer.Response.head(502, headers: [.contentLength: "0"]))
                return
            }
            let path = (url.path(percentEncoded: true).isEmpty ? "/" : url.path(percentEncoded: true))
            let target = url.query(percentEncoded: true).map { "\(path)?\($0)" } ?? path
            var request = "\(parts[0]) \(target) HTTP/1.1\r\n"
            for field in headers where field.name != .proxyAuthorization {
                request += "\(field.name.rawName): \(field.value)\r\n"
            }
            received = Array((request + "Connection: close\r\n\r\n").utf8) + received
            relay(origin)
            return
        }
    }

    private func isProved(_ value: String?) -> Bool {
        guard let user = server.user else { return true }
        return value == "Basic " + Data("\(user):\(server.password)".utf8).base64EncodedString()
    }

    /// Up to the blank line, which is dropped.
    private mutating func receiveHead() -> [UInt8]? {
        let separator = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstRange(of: separator) {
                defer { received.removeSubrange(..<end.upperBound) }
                return Array(received[..<end.lowerBound])
            }
            guard received.count < 1 << 20, receive() else { return nil }
        }
    }

    // MARK: SOCKS

    private mutating func serveSOCKS() {
        guard let greeting = take(2), greeting[0] == 5, let methods = take(Int(greeting[1])) else { return }
        if let user = server.user {
            guard methods.contains(2) else {
                _ = send([5, 0xFF])
                return
            }
            guard send([5, 2]), let head = take(2), let name = take(Int(head[1])), let length = take(1),
                let password = take(Int(length[0]))
            else { return }
            let isProved = name == Array(user.utf8) && password == Array(server.password.utf8)
            guard send([1, isProved ? 0 : 1]), isProved else { return }
        } else {
            guard methods.contains(0), send([5, 0]) else { return }
        }
        guard let request = take(4), request[0] == 5, request[1] == 1, let host = takeHost(request[3]),
            let port = take(2)
        else { return }
        let target = "\(host):\(Int(port[0]) << 8 | Int(port[1]))"
        server.note(.init(method: "CONNECT", target: target, headers: [:]))
        guard let origin = connect(to: target) else {
            _ = send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
            return
        }
        guard send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]) else { return }
        relay(origin)
    }

    private mutating func takeHost(_ kind: UInt8) -> String? {
        switch kind {
        case 1: take(4)?.map { String($0) }.joined(separator: ".")
        case 3: take(1).flatMap { take(Int($0[0])) }.map { String(decoding: $0, as: UTF8.self) }
        case 4: take(16)?.map { String($0, radix: 16) }.joined(separator: ":")
        default: nil
        }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        while received.count < count {
            guard receive() else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    // MARK: Bytes

    private func connect(to target: String) -> Int32? {
        let port = server.routes[target] ?? target.split(separator: ":").last.flatMap { Int($0) }
        return port.flatMap(LoopbackSocket.connect)
    }

    /// Carries bytes both ways until one side ends, and closes `origin`.
    private mutating func relay(_ origin: Int32) {
        guard let number = server.register(origin, isClient: false) else {
            close(origin)
            return
        }
        defer { server.unregister(number) }
        guard Self.send(received, to: origin) else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var sockets = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: origin, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&sockets, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return
            }
            for (index, other) in [(0, origin), (1, client)] where sockets[index].revents != 0 {
                let count = recv(sockets[index].fd, &buffer, buffer.count, 0)
                guard count > 0, Self.send(buffer[..<count], to: other) else { return }
            }
        }
    }

    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    private func send(_ bytes: [UInt8]) -> Bool { Self.send(bytes, to: client) }

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
