internal import CCurlShim

/// The easy handles that are not in use, each ready for a GET without options of its own.
///
/// Nothing of one transfer (credentials, body, method) reaches the next: a handle is reset after everything but the
/// plainest transfer.
struct CurlHandlePool {
    /// The bytes that libcurl reads at a time. A small image comes in one piece, for half the reads of libcurl's own 16
    /// kB. 64 and 128 kB were no faster for 30 kB images, and each handle has a buffer.
    private static let bufferSize = 32 << 10

    private let configuration: CurlTransport.Configuration
    private let rules: SecurityRules
    private let sockets: OpenSockets
    /// The cookies of all transfers; `nil` where each chain of redirects has its own.
    private(set) var cookies: StoredCookies?
    private var idle: [CurlHandle] = []

    /// Creates a pool; `sockets` must outlive the connections.
    init(configuration: CurlTransport.Configuration, rules: SecurityRules, sockets: OpenSockets) {
        self.configuration = configuration
        self.rules = rules
        self.sockets = sockets
    }

    /// Reads the file of cookies, if there is to be one. Once, before the first handle is taken.
    mutating func openCookies() {
        cookies = configuration.cookies.map { StoredCookies($0) }
    }

    mutating func take() -> CurlHandle {
        if let handle = idle.popLast() { return handle }
        let handle = cookies.map { CurlHandle(jar: $0.jar) } ?? CurlHandle()
        prepare(handle)
        return handle
    }

    /// Puts a handle back.
    ///
    /// - Parameter isClean: Whether the transfer succeeded, and libcurl met nothing that it keeps with the handle.
    mutating func give(_ handle: CurlHandle, isClean: Bool) {
        // Cookies of one transfer never go out with another's.
        guard !handle.hasNamedHost, cookies != nil || handle.jar.newCount < CookieJar.responseLimit else {
            return handle.destroy()
        }
        if cookies == nil { handle.jar.removeAll(through: handle.easy) }
        if !isClean || handle.isAltered {
            handle.reset()
            prepare(handle)
        }
        handle.errorText.pointee = 0
        idle.append(handle)
    }

    mutating func removeAll() {
        for handle in idle { handle.destroy() }
        idle = []
    }

    /// Sets the options that all transfers have in common.
    private func prepare(_ handle: CurlHandle) {
        halcyon_curl_allow_http_only(handle.easy)
        halcyon_curl_leave_resolver_behind(handle.easy)
        handle.set(CURLOPT_NOSIGNAL, 1)
        // CurlTransfer has removed the dot segments, by one rule for all versions of libcurl.
        handle.set(CURLOPT_PATH_AS_IS, 1)
        // Over TLS, the version is negotiated with the server in either case.
        let version = configuration.cleartextHTTP2 ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS
        handle.set(CURLOPT_HTTP_VERSION, version)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        handle.set(CURLOPT_ACCEPT_ENCODING, ContentCoding.accepted)
        // ContentDecoder undoes it: libcurl's decoder for gzip takes a body that is cut off for a whole one.
        handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        handle.prepareSecurity(rules)
        handle.jar.attach(to: handle.easy)
        halcyon_curl_set_pointer(handle.easy, CURLOPT_ERRORBUFFER, handle.errorText)
        halcyon_curl_set_callback(handle.easy, CURLOPT_HEADERFUNCTION, CurlExchange.headerCallback)
        halcyon_curl_set_socket_opener(handle.easy, CurlExchange.socketOpener)
        halcyon_curl_set_lookup_callback(handle.easy, CurlExchange.lookupCallback)
        let context = Unmanaged.passUnretained(sockets).toOpaque()
        halcyon_curl_set_socket_closer(handle.easy, OpenSockets.closer, context)
        halcyon_curl_set_prerequest(handle.easy, CurlExchange.prerequestCallback)
        halcyon_curl_set_callback(handle.easy, CURLOPT_WRITEFUNCTION, CurlExchange.bodyCallback)
    }
}
