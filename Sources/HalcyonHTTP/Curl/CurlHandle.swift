internal import CCurlShim

/// An easy handle, the buffer that libcurl writes its error text to, and the options that stay from one transfer to the
/// next as long as they are the same: setting all of them each time took 6 % of a small transfer's
/// instructions.
///
/// Belongs to the event loop's thread. ``destroy()`` ends it.
final class CurlHandle {
    /// The limits that libcurl itself enforces.
    struct Bounds: Equatable {
        var connectMilliseconds: Int
        /// A Boolean value that indicates whether a transfer waits until TLS has shown whether the first connection can
        /// be shared, instead of opening one more. Without TLS, libcurl would wait for the first response, however long
        /// that takes.
        var waitsForMultiplexing: Bool
        /// A Boolean value that indicates whether a transfer uses an open connection.
        var sharesConnection: Bool
    }

    let easy: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>
    /// The cookies that a transfer is sent, and that its responses set.
    let jar: CookieJar
    /// `false` while the handle neither sends nor takes cookies.
    private(set) var takesCookies = true

    /// A Boolean value that indicates whether an option is set that the next transfer would not set anew.
    var isAltered = false
    /// A Boolean value that indicates whether a transfer has named its host itself: libcurl (up to 8.19 at least) takes the
    /// cookies of later ones for that host's, and no reset changes that.
    var hasNamedHost = false

    /// The options that belong to one hop of one transfer; see `secure`.
    @exclusivity(unchecked)  // Looked at with each header line; see CurlExchange.
    var security = HopSecurity()

    /// The limits; `nil` where libcurl has its defaults.
    var bounds: Bounds? {
        didSet {
            guard let bounds, bounds != oldValue else { return }
            set(CURLOPT_CONNECTTIMEOUT_MS, bounds.connectMilliseconds)
            set(CURLOPT_PIPEWAIT, bounds.waitsForMultiplexing ? 1 : 0)
            set(CURLOPT_FRESH_CONNECT, bounds.sharesConnection ? 0 : 1)
        }
    }

    /// A Boolean value that indicates whether libcurl keeps the connection for others when this transfer, as the last
    /// one on it, has ended.
    @exclusivity(unchecked)  // Looked at with each header; see CurlExchange.
    var keepsConnection = true {
        didSet {
            guard keepsConnection != oldValue else { return }
            set(CURLOPT_FORBID_REUSE, keepsConnection ? 0 : 1)
        }
    }

    /// The weight of the HTTP/2 stream; `nil` where libcurl has its default.
    var streamWeight: Int? {
        didSet {
            guard let streamWeight, streamWeight != oldValue else { return }
            set(CURLOPT_STREAM_WEIGHT, streamWeight)
        }
    }

    /// - Parameter jar: The cookies of the transport. Default: those of the transfer alone.
    init(jar: CookieJar = CookieJar()) {
        self.jar = jar
        guard let easy = libcurl.curl_easy_init() else {
            fatalError("libcurl cannot allocate an easy handle: out of memory")
        }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.pointee = 0
    }

    func destroy() {
        libcurl.curl_easy_cleanup(easy)
        security.release()
        errorText.deallocate()
    }

    /// Resets the handle to libcurl's defaults; connections and TLS sessions stay.
    func reset() {
        libcurl.curl_easy_reset(easy)
        security.release()
        security = HopSecurity()
        isAltered = false
        takesCookies = true
        keepsConnection = true
        bounds = nil
        streamWeight = nil
    }

    /// Lets libcurl go on connecting for as long as it takes, until ``reset()``.
    func removeConnectTimeout() {
        isAltered = true
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
    }

    /// Neither sends nor takes cookies, until ``reset()``.
    func leaveCookies() {
        isAltered = true
        takesCookies = false
        CookieJar.detach(from: easy)
    }

    func set(_ option: CURLoption, _ value: Int) {
        halcyon_curl_set_long(easy, option, value)
    }

    func set(_ option: CURLoption, _ value: String) {
        halcyon_curl_set_string(easy, option, value)
    }
}
