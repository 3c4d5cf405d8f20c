/// One connection of an ``HTTP2OriginServer``, on the connection's thread.
struct HTTP2Session {
    let connection: OriginConnection
    let handler: HTTP2OriginServer.Handler

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Answers requests until the connection is of no more use.
    func run(settings: [UInt16: UInt32]) {
        guard connection.nextBytes(Self.preface.count) == Self.preface,
            connection.write(HTTP2Frame.settings(settings).bytes)
        else { return }
        while let frame = nextFrame() {
            guard handle(frame) else { return }
        }
    }

    /// Returns the next frame; `nil` at the end of the connection; frames of unknown kinds are skipped.
    private func nextFrame() -> HTTP2Frame? {
        while let head = connection.nextBytes(9) {
            func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
            guard let payload = connection.nextBytes(number(head[0..<3])) else { return nil }
            if let kind = HTTP2Frame.Kind(rawValue: head[3]) {
                return HTTP2Frame(kind, flags: head[4], stream: number(head[5..<9]) & 0x7FFF_FFFF, payload: payload)
            }
        }
        return nil
    }

    private func handle(_ frame: HTTP2Frame) -> Bool {
        let isMarked = frame.flags & HTTP2Frame.endStream != 0
        switch frame.kind {
        case .settings where !isMarked:
            return connection.write(HTTP2Frame(.settings, flags: HTTP2Frame.endStream).bytes)
        case .ping where !isMarked:
            return connection.write(HTTP2Frame(.ping, flags: HTTP2Frame.endStream, payload: frame.payload).bytes)
        case .headers where isMarked, .data where isMarked:
            let request = HTTP2OriginServer.Request(stream: frame.stream, connection: connection.number)
            return handler(request).allSatisfy(perform)
        case .goAway:
            return false
        default:
            return true
        }
    }

    private func perform(_ step: HTTP2OriginServer.Step) -> Bool {
        switch step {
        case .frame(let frame):
            return connection.write(frame.bytes)
        case .endless(let frame):
            let bytes = frame.bytes
            while connection.write(bytes) {}
            return false
        case .bytes(let bytes):
            return connection.write(bytes)
        case .wait(let gate):
            return connection.wait(gate)
        case .open(let gate):
            gate.open()
            return true
        case .awaitDisconnect:
            connection.awaitDisconnect()
            return false
        case .close:
            return false
        }
    }
}
