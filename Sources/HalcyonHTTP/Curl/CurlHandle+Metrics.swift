internal import CCurlShim

extension CurlHandle {
    func string(_ info: CURLINFO) -> String? {
        halcyon_curl_get_string(easy, info).map { String(cString: $0) }
    }

    /// Returns the figures of the exchange that has just ended. libcurl's clock starts with the exchange, at `start`
    /// after the transport took the request.
    func metrics(from start: Duration) -> TransferMetrics {
        let isReused = halcyon_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0
        func moment(_ info: CURLINFO) -> Duration {
            start + .microseconds(halcyon_curl_get_offset(easy, info))
        }
        let secured = halcyon_curl_get_offset(easy, CURLINFO_APPCONNECT_TIME_T)
        let port = halcyon_curl_get_long(easy, CURLINFO_PRIMARY_PORT)
        return TransferMetrics(
            nameLookup: isReused ? .zero : moment(CURLINFO_NAMELOOKUP_TIME_T),
            connect: isReused ? .zero : moment(CURLINFO_CONNECT_TIME_T),
            secureConnection: isReused || secured == 0 ? .zero : start + .microseconds(secured),
            firstByte: moment(CURLINFO_STARTTRANSFER_TIME_T),
            total: moment(CURLINFO_TOTAL_TIME_T),
            bodyBytesReceived: Int(halcyon_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)),
            bytesReceived: receivedBytes,
            bytesSent: sentBytes,
            networkProtocol: networkProtocol,
            isReusedConnection: isReused,
            remoteAddress: port > 0 ? string(CURLINFO_PRIMARY_IP) : nil,
            remotePort: port > 0 ? port : nil
        )
    }

    /// The bytes received on the wire, headers included, in this exchange.
    var receivedBytes: Int {
        halcyon_curl_get_long(easy, CURLINFO_HEADER_SIZE) + Int(halcyon_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
    }

    /// The bytes sent on the wire, headers included, in this exchange.
    var sentBytes: Int {
        let request = halcyon_curl_get_long(easy, CURLINFO_REQUEST_SIZE)
        let body = Int(halcyon_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T))
        guard body > 0 else { return request }
        // Before 8.7, what libcurl sends together with the headers of HTTP/1 counts as a part of them; since then,
        // all of the body does.
        let isSentAtOnce = networkProtocol.hasPrefix("http/1") && body < 64 << 10
        let isCounted = CurlLibrary.version >= 0x08_0700 || isSentAtOnce
        return isCounted ? request : request + body
    }

    /// The protocol, by the names of the TLS protocol registry (RFC 7301).
    private var networkProtocol: String {
        switch halcyon_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "http/1.0"
        case CURL_HTTP_VERSION_2_0: "h2"
        case CURL_HTTP_VERSION_3: "h3"
        default: "http/1.1"
        }
    }
}
