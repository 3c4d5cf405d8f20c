internal import Glibc
public import HTTPTypes
internal import HalcyonSystem

/// A real proxy on a loopback port: HTTP (whole URLs, and CONNECT) or SOCKS 5 with names, which may demand a password.
///
/// Whatever the target of a client, the proxy connects to a port of 127.0.0.1: to the requested one, or to the one that
/// `routes` has for "host:port". So a test can use any name, and check that the client left its look-up to the proxy.
/// It runs from its creation until ``stop()``.
public final class ProxyServer: Sendable {
    /// The protocols of the proxy.
    public enum Kind: Sendable, Hashable {
        /// HTTP, RFC 9110 and 9112.
        case http
        /// SOCKS 5, RFC 1928 and 1929.
        case socks5
    }

    /// A request of a client.
    public struct Request: Sendable, Hashable {
        /// The method: "GET", …; "CONNECT" over SOCKS, too.
        public let method: String
        /// The request target as it came: a whole URL, or "host:port".
        public let target: String
        /// The headers for the proxy; none over SOCKS.
        public let headers: HTTPFields
    }

    private struct State {
        var requests: [Request] = []
        var connections: [Int: Int32] = [:]
        var connectionCount = 0
        var runningThreads = 0
        var isStopped = false
    }

    /// The port on 127.0.0.1.
    public let port: Int
    /// The protocol of the proxy.
    public let kind: Kind
    let routes: [String: Int]
    let user: String?
    let password: String
    let challenge: String
    private let listener: Int32
    private let state = Lock(State())
    private let allThreadsEnded = Semaphore()

    /// Starts to listen on a free port of 127.0.0.1. With a `user`, clients that do not prove to be that one, with a
    /// password by the basic scheme, get 407 with `challenge` as `Proxy-Authenticate`, or are refused by SOCKS.
    ///
    /// Throws ``OriginServerError`` where the system refuses.
    public init(
        _ kind: Kind = .http,
        routes: [String: Int] = [:],
        user: String? = nil,
        password: String = "",
        challenge: String = "Basic realm=\"proxy\""
    ) throws {
        (listener, port) = try LoopbackSocket.listen()
        self.kind = kind
        self.routes = routes
        self.user = user
        self.password = password
        self.challenge = challenge
        do {
            try spawn { $0.acceptConnections() }
        } catch {
            close(listener)
            throw error
        }
    }

    /// The requests of clients so far, in order.
    public var requests: [Request] {
        state.withLock { $0.requests }
    }

    /// The number of connections that have been accepted so far.
    public var connectionCount: Int {
        state.withLock { $0.connectionCount }
    }

    /// Closes everything, and returns when all threads have ended. Calling it again does nothing.
    public func stop() {
        let mustWait = state.withLock { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            for socket in state.connections.values { shutdown(socket, Int32(SHUT_RDWR)) }
            return true
        }
        guard mustWait else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        allThreadsEnded.wait()
        close(listener)
    }

    func note(_ request: Request) {
        state.withLock { $0.requests.append(request) }
    }

    private func acceptConnections() {
        while true {
            let client = LoopbackSocket.accept(listener)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            guard let number = register(client) else {
                close(client)
                return
            }
            do {
                try spawn { server in
                    var connection = ProxyConnection(client: client, server: server)
                    connection.serve()
                    server.unregister(number)
                }
            } catch {
                unregister(number)
            }
        }
    }

    /// Adds a socket to be interrupted by ``stop()``; `nil` if that has been called.
    func register(_ socket: Int32, isClient: Bool = true) -> Int? {
        return state.withLock { state in
            guard !state.isStopped else { return nil }
            // Clients have even numbers, their servers odd ones: none is given twice.
            let number = isClient ? state.connectionCount * 2 : Int(socket) * 2 + 1
            if isClient { state.connectionCount += 1 }
            state.connections[number] = socket
            return number
        }
    }

    /// Closes the socket, so that ``stop()`` no longer uses it.
    func unregister(_ number: Int) {
        state.withLock { state in
            if let socket = state.connections.removeValue(forKey: number) { close(socket) }
        }
    }

    private func spawn(_ body: @escaping @Sendable (ProxyServer) -> Void) throws {
        state.withLock { $0.runningThreads += 1 }
        do {
            try LoopbackSocket.spawn {
                body(self)
                self.threadEnded()
            }
        } catch {
            threadEnded()
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
