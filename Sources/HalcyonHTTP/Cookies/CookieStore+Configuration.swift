public import HalcyonConcurrency
public import HalcyonFiles

extension CookieStore {
    /// The settings of a store.
    public struct Configuration: Sendable {
        /// The numbers of cookies that are kept. Default: ``CookieLimits/init(domainCount:count:byteCount:)``.
        public var limits = CookieLimits()
        /// A Boolean value that indicates whether cookies without an expiry are written to the file as well, so that they
        /// outlive the program. Default: `false`, as RFC 6265 says of the end of a session.
        public var keepsSessionCookies = false
        /// The time between a change and the write to the file, in which further changes are gathered; a program that
        /// crashes loses no more than them. Default: 1 s.
        public var writeDelay = Duration.seconds(1)
        /// Returns whether independent people register domains right below this one, such as "co.uk", which is in lower
        /// case: no cookie is for all of them. Must return soon. Default: `nil`, no list; single labels, such as "com", and
        /// addresses are refused in any case.
        public var isPublicSuffix: (@Sendable (String) -> Bool)?
        /// The source of the date by which cookies expire. Default: the system's.
        public var clock = StoreClock.system
        /// The clock that ``writeDelay`` is measured by. Default: the system's.
        public var writeClock: any Clock<Duration> = ContinuousClock()
        /// Called when the file could not be written, on a thread of the store; the changes are kept for the next write.
        /// Default: `nil`.
        public var onFault: (@Sendable (PrivateFileError) -> Void)?
        /// The calls to the file system. Default: the machine's.
        public var fileSystem: any FileSystem = POSIXFileSystem()

        /// The defaults.
        public init() {}
    }
}

extension CookieStore.Configuration {
    /// Returns whether no cookie may be for a domain and all hosts below it.
    func isSuffix(_ domain: String) -> Bool {
        let name = domain.hasSuffix(".") ? domain.dropLast() : domain[...]
        return !name.contains(".") || IPAddress(host: domain) != nil || isPublicSuffix?(String(name)) == true
    }

    /// Returns whether a cookie is written to the file.
    func isKept(_ cookie: Cookie) -> Bool { cookie.expires != nil || keepsSessionCookies }
}
