internal import CCurlShim

/// A transfer that ends while its name is looked up. Nothing can stop a look-up, which is a thread that waits for the
/// answer of a name server; libcurl would leave it running, and with a name server that does not answer these threads
/// would add up, one for each transfer that is started and cancelled. So libcurl goes on with the look-up and no further,
/// beside the transfers that run; those that are more than may run together keep their places among them.
extension CurlExchange {
    /// The time for which the system asks by default: three servers, twice, for 5 s each (resolv.conf(5)).
    private static let lookupNanoseconds: Int64 = 30_000_000_000

    static let lookupCallback: curl_resolver_start_callback = { _, _, context in
        guard let context else { return 0 }
        Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue().lookupBegan = true
        return 0
    }

    /// A Boolean value that indicates whether libcurl waits for the address of a name.
    var isLookingUp: Bool {
        lookupBegan && halcyon_curl_get_offset(handle.easy, CURLINFO_NAMELOOKUP_TIME_T) == 0
    }

    /// A Boolean value that indicates whether the transfer is over, and only its look-up is left.
    var isAbandoned: Bool { lookupDeadline != nil }

    /// Ends everything but the look-up.
    func abandon() {
        lookupDeadline = loop.now.adding(nanoseconds: Self.lookupNanoseconds)
        handle.removeConnectTimeout()
    }
}
