public import FoundationEssentials
internal import HalcyonSystem

/// A real HTTP/2 peer on a loopback port, without TLS, which answers each stream with the frames that a closure
/// returns.
///
/// It speaks HTTP/2 from the first byte on (RFC 9113, section 3.3), so a client must be configured for that, with
/// `cleartextHTTP2` of `CurlTransport.Configuration`. Requests are counted, not decoded: a script knows which stream
/// it answers. Settings and pings are acknowledged; the client's windows are left to scripts.
public final class HTTP2OriginServer: Sendable {
    /// Answers a request once it has come whole, on the connection's thread, which reads nothing meanwhile.
    public typealias Handler = @Sendable (Request) -> [Step]

    /// A request, as far as it is read.
    public struct Request: Sendable, Hashable {
        /// The number of the stream: 1, 3, 5, …
        public let stream: Int
        /// The number of the connection on which it came, counted from 0.
        public let connection: Int
    }

    /// One action on the connection.
    public enum Step: Sendable {
        /// Writes a frame.
        case frame(HTTP2Frame)
        /// Writes a frame again and again, until the client or the server ends it.
        case endless(HTTP2Frame)
        /// Writes bytes that are no frame.
        case bytes([UInt8])
        /// Waits until the gate is open.
        case wait(Gate)
        /// Opens a gate, to report the progress to the test.
        case open(Gate)
        /// Waits until the client closes the connection.
        case awaitDisconnect
        /// Closes the connection; a client that has sent something meanwhile sees it broken (RST).
        case close
    }

    private let server: OriginServer
    private let state: Lock<[Request]>

    /// Starts to listen on a port of 127.0.0.1 that is free. `settings` are announced to each client, by their number
    /// (RFC 9113, section 6.5.2).
    ///
    /// Throws ``OriginServerError`` where the system refuses.
    public init(settings: [UInt16: UInt32] = [:], handler: @escaping Handler) throws {
        let state = Lock<[Request]>([])
        self.state = state
        server = try OriginServer(port: 0) { _, connection in
            let session = HTTP2Session(connection: connection) { request in
                state.withLock { $0.append(request) }
                return handler(request)
            }
            session.run(settings: settings)
        }
    }

    /// The port on 127.0.0.1.
    public var port: Int { server.port }

    /// Returns "http://127.0.0.1:PORT" and `path`, which begins with a slash, as a URL.
    public func url(_ path: String = "/") -> URL { server.url(path) }

    /// The requests so far, in order of their arrival.
    public var requests: [Request] { state.withLock { $0 } }

    /// The number of connections that have been accepted so far.
    public var connectionCount: Int { server.connectionCount }

    /// Closes every connection and the port, and returns when all threads have ended. Calling it again does nothing.
    public func stop() { server.stop() }
}
