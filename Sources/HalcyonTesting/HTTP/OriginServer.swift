public import FoundationEssentials
internal import Glibc
internal import HalcyonSystem

/// A real HTTP/1.1 server on a loopback port, which answers as a closure decides: well, badly, or not at all.
///
/// Each connection has a thread of its own, so a ``Response`` may block at a ``Gate`` for any time. The server runs
/// from its creation until ``stop()``, which also ends blocked connections.
public final class OriginServer: Sendable {
    /// Answers a request, on the connection's thread.
    public typealias Handler = @Sendable (Request) -> Response

    private struct State {
        var requests: [Request] = []
        var connectionCount = 0
        var connections: [Int: OriginConnection] = [:]
        var isStopped = false
        /// The number of running threads; the end of the last one is signalled once the server is stopped.
        var runningThreads = 0
    }

    /// The port on 127.0.0.1.
    public let port: Int
    private let listener: Int32
    /// Serves a client, on the connection's thread, until the connection is of no more use.
    private let session: @Sendable (OriginServer, OriginConnection) -> Void
    private let state = Lock(State())
    private let allThreadsEnded = Semaphore()

    /// Starts to listen on 127.0.0.1, on `port` or, by default, on one that is free.
    ///
    /// Throws ``OriginServerError`` where the system refuses.
    public convenience init(port: Int = 0, handler: @escaping Handler) throws {
        try self.init(port: port) { server, connection in
            while let request = connection.nextRequest() {
                server.state.withLock { $0.requests.append(request) }
                guard connection.send(handler(request), to: request) else { break }
            }
        }
    }

    /// Starts to listen, for any protocol.
    init(port: Int, session: @escaping @Sendable (OriginServer, OriginConnection) -> Void) throws {
        let (listener, port) = try LoopbackSocket.listen(port: port)
        self.listener = listener
        self.port = port
        self.session = session
        do {
            try spawn { $0.acceptConnections() }
        } catch {
            close(listener)
            throw error
        }
    }

    /// Returns "http://127.0.0.1:PORT" and `path`, which begins with a slash, as a URL.
    public func url(_ path: String = "/") -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// The requests so far, in order of their arrival.
    public var requests: [Request] {
        state.withLock { $0.requests }
    }

    /// The number of connections that have been accepted so far.
    public var connectionCount: Int {
        state.withLock { $0.connectionCount }
    }

    /// Returns the number of requests for `path` so far.
    public func requestCount(_ path: String) -> Int {
        state.withLock { state in state.requests.count { $0.path == path } }
    }

    /// Closes every connection and the port, and returns when all threads have ended. Calling it again does nothing.
    public func stop() {
        let connections = state.withLock { state -> [OriginConnection]? in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            return Array(state.connections.values)
        }
        guard let connections else { return }
        // This makes `accept` return.
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { connection.interrupt() }
        allThreadsEnded.wait()
        close(listener)
    }

    private func acceptConnections() {
        while true {
            let socket = LoopbackSocket.accept(listener)
            guard socket >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let connection = state.withLock { state -> OriginConnection? in
                guard !state.isStopped else { return nil }
                let connection = OriginConnection(socket: socket, number: state.connectionCount)
                state.connectionCount += 1
                state.connections[connection.number] = connection
                return connection
            }
            guard let connection else {
                close(socket)
                return
            }
            do {
                try spawn { $0.serve(connection) }
            } catch {
                serveEnded(connection)
            }
        }
    }

    private func serve(_ connection: OriginConnection) {
        session(self, connection)
        serveEnded(connection)
    }

    private func serveEnded(_ connection: OriginConnection) {
        _ = state.withLock { $0.connections.removeValue(forKey: connection.number) }
        connection.close()
    }

    /// Runs `body` on a new thread, which `stop` waits for.
    private func spawn(_ body: @escaping @Sendable (OriginServer) -> Void) throws {
        state.withLock { $0.runningThreads += 1 }
        do {
            try LoopbackSocket.spawn {
                body(self)
                self.threadEnded()
            }
        } catch {
            state.withLock { $0.runningThreads -= 1 }
            throw error
        }
    }

    private func threadEnded() {
        let isLast = state.withLock { state in
            state.runningThreads -= 1
            return state.isStopped && state.runningThreads == 0
        }
        if isLast { allThreadsEnded.signal() }
    }
}
