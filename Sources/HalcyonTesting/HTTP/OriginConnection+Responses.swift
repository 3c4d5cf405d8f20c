internal import Glibc
internal import HTTPTypes
internal import HalcyonSystem

/// The responses that are sent.
extension OriginConnection {
    /// Performs the steps of `response`; returns false if the connection is of no more use.
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

    /// Waits for a duration, or until the server is stopped; then it returns false.
    private func sleep(_ duration: Duration) -> Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        // Nothing is asked for, so only a broken connection ends this early.
        let count = poll(&entry, 1, Int32(clamping: Int64(duration / .milliseconds(1))))
        return count == 0 && state.withLock { !$0.isInterrupted }
    }

    /// Waits until the gate is open; returns false if the server was stopped meanwhile.
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
