internal import FoundationEssentials
internal import HTTPTypes

extension ProxyConnection {
    /// Speaks HTTP (RFC 9110 and 9112).
    mutating func serveHTTP() {
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
                guard let upstream = connect(to: parts[1]) else {
                    _ = send(OriginServer.Response.head(502, headers: [.contentLength: "0"]))
                    return
                }
                guard send(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)) else { return }
                relay(upstream)
                return
            }
            // The connection then belongs to this server: enough for a test, which uses one host at a time.
            guard let url = URL(string: parts[1]), let host = url.host(),
                let upstream = connect(to: "\(host):\(url.port ?? 80)")
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
            relay(upstream)
            return
        }
    }

    private func isProved(_ value: String?) -> Bool {
        guard let user = server.user else { return true }
        return value == "Basic " + Data("\(user):\(server.password)".utf8).base64EncodedString()
    }

    /// Returns the bytes up to the blank line, which is dropped.
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
}
