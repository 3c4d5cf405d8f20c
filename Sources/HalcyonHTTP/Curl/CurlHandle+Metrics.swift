internal import CCurl
internal import CCurlShim

extension CurlHandle {
    func string(_ info: CURLINFO) -> String? {
        halcyon_curl_get_string(easy, info).map { String(cString: $0) }
    }

    /// The figures of the transfer that has just ended, by libcurl's clock, which starts when the queue is left.
    func metrics(queued: Duration, redirects: Int) -> TransferMetrics {
        let isReused = halcyon_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0
        func duration(_ info: CURLINFO) -> Duration {
            queued + .microseconds(halcyon_curl_get_offset(easy, info))
        }
        let secured = halcyon_curl_get_offset(easy, CURLINFO_APPCONNECT_TIME_T)
        return TransferMetrics(
            queued: queued,
            nameLookup: isReused ? .zero : duration(CURLINFO_NAMELOOKUP_TIME_T),
            connect: isReused ? .zero : duration(CURLINFO_CONNECT_TIME_T),
            secureConnection: isReused || secured == 0 ? .zero : queued + .microseconds(secured),
            firstByte: duration(CURLINFO_STARTTRANSFER_TIME_T),
            total: duration(CURLINFO_TOTAL_TIME_T),
            bodyBytesReceived: Int(halcyon_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)),
            networkProtocol: networkProtocol,
            isReusedConnection: isReused,
            redirectCount: redirects
        )
    }

    /// By the names of the TLS protocol registry (RFC 7301).
    private var networkProtocol: String {
        switch halcyon_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "http/1.0"
        case CURL_HTTP_VERSION_2_0: "h2"
        case CURL_HTTP_VERSION_3: "h3"
        default: "http/1.1"
        }
    }
}
