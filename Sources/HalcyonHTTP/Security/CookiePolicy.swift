/// The handling of the cookies that servers set, by a transport that has the same for all of its requests. A
/// ``CookieStore`` has those of one user instead, also in a file.
public enum CookiePolicy: Sendable, Hashable {
    /// Cookies are not kept; those that redirects set are sent with the next requests of the same chain.
    case none
    /// Cookies are kept as long as the transport lives, sent back as their attributes say (RFC 6265: domain, path,
    /// expiry, `Secure`), and removed with ``CurlTransport/removeAllCookies()``. Nothing is written to disk.
    ///
    /// At most 50 are kept for a domain, the newest, and 3,000 in all, where the domains with the most cookies lose
    /// their oldest first. One whose name, value, domain and path together take more than 4,096 bytes is not kept (RFC
    /// 6265, section 6.1).
    ///
    /// A cookie for a whole public suffix ("co.uk") is refused if the installed libcurl has been built with libpsl, as
    /// those of Debian and Ubuntu are; without it only for top-level domains. A request with a `Cookie` header of its
    /// own sends that one only, and cookies of its response are ignored.
    case inMemory
}
