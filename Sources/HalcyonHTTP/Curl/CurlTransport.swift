/// The transport for real networks: libcurl's multi interface, driven by one thread.
///
/// HTTP/1.1 and HTTP/2, TLS verified against the system's certificates, gzip, brotli, zstd and deflate as far as the
/// installed libcurl has them, proxies (``ProxyPolicy``), cookies if wanted (``CookiePolicy``). Connections are kept
/// and used again. Redirects are followed to `http` and `https` only, each hop a request of its own that waits its turn
/// at its host; ``TransferRequest/credential`` and every header that may be a secret stay with the origin they were meant
/// for (``TransferRequest/headers``).
///
/// Transfers wait in order of priority, then of ``TransferOrder``, until there is room (``Configuration``); timeouts run
/// from the moment a transfer leaves that queue. HTTP statuses are not errors here.
///
/// The thread lives as long as the transport and the transfers it has begun: releasing the transport lets them finish.
/// ``shutdown()`` cancels them.
public final class CurlTransport: HTTPTransport {
    private let loop: CurlEventLoop

    /// A transport with its own connections and its own thread.
    public init(configuration: Configuration = Configuration()) {
        loop = CurlEventLoop(configuration: configuration)
        loop.launch()
    }

    deinit {
        loop.stop(.whenIdle)
    }

    /// Starts a transfer, or queues it.
    ///
    /// The receiver is called on the transport's thread, possibly before this returns. After ``shutdown()`` it
    /// completes with ``TransferError/cancelled``, on the caller's thread.
    public func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let transfer = CurlTransfer(request, receiver: receiver, loop: loop)
        loop.start(transfer)
        return transfer
    }

    /// Forgets every cookie (``CookiePolicy/inMemory``), before any transfer that is started afterwards.
    public func removeAllCookies() {
        loop.post(.removeCookies)
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
