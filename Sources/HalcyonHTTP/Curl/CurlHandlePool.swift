internal import CCurl
internal import CCurlShim

/// An easy handle and the buffer that libcurl writes its error text to.
struct CurlHandle {
    let easy: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>

    fileprivate init() {
        guard let easy = curl_easy_init() else { fatalError("libcurl cannot allocate an easy handle: out of memory") }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.pointee = 0
    }

    fileprivate func destroy() {
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) {
        halcyon_curl_set_long(easy, option, value)
    }

    func set(_ option: CURLoption, _ value: String) {
        halcyon_curl_set_string(easy, option, value)
    }
}

/// Easy handles that are not in use, reset so that nothing of one transfer (credentials, body, method) reaches the next.
struct CurlHandlePool {
    private let configuration: CurlTransport.Configuration
    private var idle: [CurlHandle] = []

    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    mutating func take() -> CurlHandle {
        let handle = idle.popLast() ?? CurlHandle()
        prepare(handle)
        return handle
    }

    mutating func give(_ handle: CurlHandle) {
        curl_easy_reset(handle.easy)
        handle.errorText.pointee = 0
        idle.append(handle)
    }

    mutating func removeAll() {
        for handle in idle { handle.destroy() }
        idle = []
    }

    /// Sets what all transfers have in common.
    private func prepare(_ handle: CurlHandle) {
        halcyon_curl_allow_http_only(handle.easy)
        halcyon_curl_leave_resolver_behind(handle.easy)
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        handle.set(CURLOPT_FOLLOWLOCATION, 1)
        handle.set(CURLOPT_UNRESTRICTED_AUTH, 0)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        if let file = configuration.certificateAuthorityFile {
            handle.set(CURLOPT_CAINFO, file)
        }
        halcyon_curl_set_pointer(handle.easy, CURLOPT_ERRORBUFFER, handle.errorText)
        halcyon_curl_set_callback(handle.easy, CURLOPT_HEADERFUNCTION, CurlExchange.headerCallback)
        halcyon_curl_set_callback(handle.easy, CURLOPT_WRITEFUNCTION, CurlExchange.bodyCallback)
    }
}
