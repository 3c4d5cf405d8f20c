extension ProxyConnection {
    /// Speaks SOCKS 5 (RFC 1928 and 1929).
    mutating func serveSOCKS() {
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
        guard let upstream = connect(to: target) else {
            _ = send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
            return
        }
        guard send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]) else { return }
        relay(upstream)
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
}
