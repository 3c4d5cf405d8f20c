internal import Glibc
internal import HTTPTypes

/// The requests that arrive.
extension OriginConnection {
    /// Reads up to the end of the next request; `nil` when there is none.
    func nextRequest() -> OriginServer.Request? {
        let separator = Array("\r\n\r\n".utf8)
        var headEnd = received.firstRange(of: separator)
        while headEnd == nil {
            guard received.count < Self.maximumRequestBytes, receive() else { return nil }
            headEnd = received.firstRange(of: separator)
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: received[..<headEnd.lowerBound], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        received.removeSubrange(..<headEnd.upperBound)
        let requestLine = lines[0].split(separator: " ")
        guard requestLine.count == 3 else { return nil }
        var headers = HTTPFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
                return nil
            }
            headers.append(HTTPField(name: name, value: String(line[line.index(after: colon)...].drop { $0 == " " })))
        }
        let length = headers[.contentLength].flatMap(Int.init) ?? 0
        guard length >= 0, length <= Self.maximumRequestBytes else { return nil }
        while received.count < length {
            guard receive() else { return nil }
        }
        let body = Array(received[..<length])
        received.removeSubrange(..<length)
        return OriginServer.Request(
            method: String(requestLine[0]),
            path: String(requestLine[1]),
            headers: headers,
            body: body,
            connection: number
        )
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    /// Returns the next `count` bytes, whatever they are; `nil` if the connection ends before.
    func nextBytes(_ count: Int) -> [UInt8]? {
        guard count <= Self.maximumRequestBytes else { return nil }
        while received.count < count {
            guard receive() else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Takes and drops all bytes until the client is gone.
    func awaitDisconnect() {
        while receive() { received = [] }
    }
}
