internal import CCurlShim

/// The choice of an exchange's connection: neither a kept one at which surplus bytes wait, nor a tunnel that a proxy
/// made for another transfer.
extension CurlExchange {
    /// The callback that libcurl calls before a request is sent.
    static let prerequestCallback: halcyon_curl_prerequest_callback = { context, _, _, _, localPort in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        exchange.handle.security.isRequestOut = true
        exchange.localPort = localPort
        guard !exchange.isAbandoned else { return 1 }
        return exchange.acceptsConnection(localPort: localPort) ? 0 : 1
    }

    /// The callback that opens the socket of a new connection.
    static let socketOpener: curl_opensocket_callback = { context, _, target in
        guard let context, let target else { return -1 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        exchange.handle.security.isRequestOut = false
        exchange.localPort = 0
        // Since 8.13, libcurl gives a connection of HTTP/2 without TLS to no other transfer before a response has come
        // on it, and keeps it all the same. So it goes with the transfer that opened it, unless that has its response.
        if exchange.isCleartextHTTP2 { exchange.handle.keepsConnection = false }
        guard !exchange.isAbandoned else { return -1 }  // CURL_SOCKET_BAD
        guard exchange.handle.security.addressCheck?.permits(target) ?? true else { return -1 }  // CURL_SOCKET_BAD
        return exchange.loop.sockets.open(
            target,
            for: exchange.number,
            proxyCredential: exchange.handle.security.tunnelCredential
        )
    }

    private func acceptsConnection(localPort: Int32) -> Bool {
        // libcurl before 8.19 does not compare names and passwords for the proxy (CVE-2026-3784), and no version
        // compares tokens, which it does not know as such.
        let security = handle.security
        if security.makesTunnel, !loop.sockets.isOpened(with: security.tunnelCredential, localPort: localPort) {
            // Refused in any case, but tried again once.
            if connection == .any { connection = .newNext }
            return false
        }
        // Once begun, libcurl may repeat the request by itself, on what is still the same connection.
        guard isPlain, connection == .any, !head.hasBegun,
            halcyon_curl_get_long(handle.easy, CURLINFO_NUM_CONNECTS) == 0,
            loop.sockets.haveSurplus(localPort: localPort)
        else {
            willSend()
            return true
        }
        connection = .newNext
        return false
    }

    /// The largest number of times that a request is sent again, which is libcurl's own: a server that ends each
    /// connection after a few requests loses some of them several times.
    static let maximumLosses = 5

    /// Returns whether the request, which libcurl ended with `code`, is to be sent again.
    ///
    /// A server ends a connection whenever it likes to (nginx after 1,000 requests), and requests that are on their way to
    /// it are lost through no fault of theirs. Those that change nothing may be repeated unasked (RFC 9110, section 9.2.2).
    /// libcurl does so itself where it sees that the server has not looked at them, up to five times.
    ///
    /// A connection that is this request's own ends as its answer.
    func losesConnection(_ code: CURLcode) -> Bool {
        // Some versions take a stream without any byte for a body that was cut off.
        let isOver = Self.endsConnection(code) || code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE
        return isOver && isRepeatable && transfer.request.body == nil && isOnSharedConnection
            && connectionLossCount < Self.maximumLosses && !head.hasBegun && failure == nil && !transfer.isCancelled
            && !isAbandoned
    }

    /// A Boolean value that indicates whether the request may be sent again unasked. libcurl does that itself with each that
    /// a kept connection loses, so that others take a new one.
    var isRepeatable: Bool { transfer.request.method == .get || transfer.request.method == .head }

    /// The number of times that connections which ended have lost the request.
    var connectionLossCount: Int { transfer.history?.connectionLossCount ?? 0 }

    /// Returns whether the request opens a connection, so that no others are before it there: the first of those that
    /// a connection has lost, for all of them, and one that was lost too often.
    func opensConnection() -> Bool {
        guard connectionLossCount > 0, let history = transfer.history else { return false }
        return connectionLossCount == Self.maximumLosses
            || loop.scheduler.renewsConnection(entry, since: history.renewalCount)
    }

    /// Returns whether libcurl has held the exchange back for a while, to see whether it can share the connection that
    /// another one opens: no name is looked up for it, and no socket is open.
    var isHeldBack: Bool {
        entry.origin.isSecure && startedAt.adding(nanoseconds: CurlEventLoop.heldBackNanoseconds) <= loop.now
            && isRepeatable && !head.hasBegun && !isLookingUp && !isAbandoned
            && !loop.sockets.haveSocket(openedBy: number, orAt: localPort)
    }

    /// Returns whether a transfer that ended with `code` leaves an unusable connection: it is silent, or flooded, or
    /// its server does not keep to the rules. libcurl would use one of HTTP/2 again, so that the next transfer met the
    /// same.
    func discreditsConnection(_ code: CURLcode) -> Bool {
        failure?.discreditsConnection ?? Self.endsConnection(code)
    }

    /// Returns whether an end concerns the whole connection, not one stream of it.
    private static func endsConnection(_ code: CURLcode) -> Bool {
        code == CURLE_HTTP2 || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR
    }

    /// A Boolean value that indicates whether bytes that wait at the connection can be seen from outside: TLS and
    /// HTTP/2 send some of their own.
    var isPlain: Bool { !entry.origin.isSecure && !loop.configuration.cleartextHTTP2 }

    /// Returns whether the exchange, which has sent nothing yet, is to begin again on a new connection, and sets it for
    /// that.
    func takesNewConnection() -> Bool {
        guard connection == .newNext, failure == nil, !transfer.isCancelled else { return false }
        connection = .new
        handle.isAltered = true
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        return true
    }
}

extension TransferError {
    /// A Boolean value that indicates whether an error that this side has found means that the connection must not
    /// be used again.
    var discreditsConnection: Bool {
        switch self {
        case .timedOut, .headersTooLarge, .malformedResponse: true
        default: false
        }
    }
}
