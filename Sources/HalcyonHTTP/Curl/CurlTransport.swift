/// The transport for real networks: libcurl's multi interface, driven by one thread.
///
/// It supports HTTP/1.1 and HTTP/2, TLS verified against the system's certificates, proxies (``ProxyPolicy``), and
/// a file of cookies on request (``CookieFile``). Connections are kept and used again. Redirects are followed to `http` and
/// `https` only, each hop a request of its own that waits its turn at its host; ``TransferRequest/credential`` and
/// every header that may be a secret stay with the origin for which they were set (``TransferRequest/headers``). Cookies
/// that servers set on the way are sent with the next requests of the same chain, as RFC 6265 has it, and forgotten with
/// it, unless the request has a `Cookie` header of its own. A GET or HEAD that has no answer when the server ends the
/// HTTP/2 connection that it shared is sent again (RFC 9110, section 9.2.2); those lost together share a new connection.
///
/// Bodies may be coded with gzip or deflate, several times over if need be, and arrive decoded. One that is cut off or
/// damaged is an error, never a shorter body; only deflate without the zlib format has no checksum to check it by.
/// Brotli and zstd are not asked for: images are compressed already, so they would serve little but text. Other names in
/// `Content-Encoding` are ignored, and the bytes arrive as they came.
///
/// Bytes that a server sends beyond the end of a response never become a response, as long as they are there before the
/// next request goes out on that connection; over TLS, and with libcurl before 7.80, as long as they come with the
/// response. After the size of a chunk (RFC 9112, section 7.1), libcurl skips the rest of that line, so that "5M" is 5,
/// and "0x5" is the last chunk; the bytes are out of reach here.
///
/// Transfers wait in order of priority, then of ``TransferOrder``, until there is room (``Configuration``); timeouts
/// run from the moment a transfer leaves that queue. HTTP statuses are not errors here.
///
/// libcurl is loaded with the first transfer, which fails with ``TransferError/other(_:)`` where that is not possible; the next one tries again. The thread
/// begins then, and lives as long as the transport and the transfers it has begun: releasing the transport lets them finish.
/// ``shutdown()`` cancels them.
public final class CurlTransport: HTTPTransport {
    private let loop: CurlEventLoop

    /// Creates a transport with its own connections and its own thread.
    public init(configuration: Configuration = Configuration()) {
        loop = CurlEventLoop(configuration: configuration)
    }

    deinit {
        loop.stop(.whenIdle)
    }

    /// Starts a transfer, or queues it.
    ///
    /// The receiver is called on the transport's thread, possibly before this returns. After ``shutdown()`` it
    /// completes with ``TransferError/cancelled``, on the caller's thread, as it does with an error where there is no thread to be
    /// had.
    public func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let transfer = CurlTransfer(request, receiver: receiver, loop: loop)
        loop.start(transfer)
        return transfer
    }

    /// The file of the transport's cookies; `nil` where it has none.
    public var cacheScope: String? { loop.configuration.cookies?.path }

    /// Removes every cookie of the transport's ``CookieFile``, before any transfer that is started afterwards.
    public func removeAllCookies() {
        loop.removeCookies()
    }

    /// Cancels every transfer, closes the connections and ends the thread.
    ///
    /// Returns when the thread has ended; called on the transport's own thread, by a receiver, it returns at once and
    /// the thread ends afterwards. Calling it again does nothing.
    public func shutdown() {
        loop.stop(.now)
        loop.join()
    }
}
