internal import Glibc
internal import HTTPTypes
internal import HalcyonConcurrency

/// One accepted connection of an ``OriginServer``; used by its own thread, and interrupted by the server.
///
/// Unchecked: `received` belongs to the connection's thread; the socket is closed behind the lock.
final class OriginConnection: @unchecked Sendable {
    private struct State {
        var isOpen = true
        var isInterrupted = false
        /// What the thread waits on at a gate.
        var blocked: Semaphore?
    }

    /// More than this of one request's head or body ends the connection.
    private static let maximumRequestBytes = 16 << 20

    let number: Int
    private let socket: Int32
    private let state = Lock(State())
    private var received: [UInt8] = []

    init(socket: Int32, number: Int) {
        self.socket = socket
        self.number = number
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends what the thread waits for, from any thread.
    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            if state.isOpen { shutdown(socket, Int32(SHUT_RDWR)) }
            state.blocked?.signal()
        }
    }

    /// Once, by the connection's thread, at its end.
    func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            Glibc.close(socket)
        }
    }

    // MARK: Requests

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

    /// The next `count` bytes, whatever they are; `nil` if the connection ends before.
    func nextBytes(_ count: Int) -> [UInt8]? {
        guard count <= Self.maximumRequestBytes else { return nil }
        while received.count < count {
            guard receive() else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Takes and drops what comes until the client is gone.
    func awaitDisconnect() {
        while receive() { received = [] }
    }

    // MARK: Responses

    /// Does the steps of `response`; false if the connection is of no more use.
    func send(_ response: OriginServer.Response, to request: OriginServer.Request) -> Bool {
        for step in response.steps {
            guard perform(step) else { return false }
        }
        return request.headers[.connection]?.lowercased() != "close"
    }

    private func perform(_ step: OriginServer.Response.Step) -> Bool {
        switch step {
        case .bytes(let bytes):
            return write(bytes)
        case .file(let path, let byteCount):
            return write(file: path, byteCount: byteCount)
        case .endless(let bytes):
            while write(bytes) {}
            return false
        case .trickle(let bytes, let pause):
            return bytes.allSatisfy { sleep(pause) && write([$0]) }
        case .wait(let gate):
            return wait(gate)
        case .open(let gate):
            gate.open()
            return true
        case .awaitDisconnect(let gate):
            awaitDisconnect()
            gate.open()
            return false
        case .close:
            return false
        case .reset:
            var lingering = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
            return false
        }
    }

    func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes(write)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.send(socket, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func write(file path: String, byteCount: Int) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        var remaining = byteCount
        var buffer = [UInt8](repeating: 0, count: min(256 << 10, max(1, byteCount)))
        while remaining > 0 {
            let count = read(file, &buffer, min(buffer.count, remaining))
            // A file that has become shorter leaves the client with too few bytes, so the connection must end.
            guard count > 0, buffer.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[..<count])) })
            else { return false }
            remaining -= count
        }
        return true
    }

    /// Waits as long as it says, or until the server is stopped; then it returns false.
    private func sleep(_ duration: Duration) -> Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        // Nothing is asked for, so only a broken connection ends this early.
        let count = poll(&entry, 1, Int32(clamping: Int64(duration / .milliseconds(1))))
        return count == 0 && state.withLock { !$0.isInterrupted }
    }

    /// Waits until the gate is open; false if the server was stopped meanwhile.
    func wait(_ gate: Gate) -> Bool {
        let semaphore = Semaphore()
        let mustWait = state.withLock { state in
            guard !state.isInterrupted else { return false }
            state.blocked = semaphore
            return true
        }
        guard mustWait else { return false }
        gate.whenOpen { semaphore.signal() }
        semaphore.wait()
        return state.withLock { state in
            state.blocked = nil
            return !state.isInterrupted
        }
    }
}
