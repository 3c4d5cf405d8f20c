public import HalcyonHTTP

extension ImageDownloader {
    /// Replaces the configuration for the transfers that begin from now on. Those under way end under the earlier one.
    ///
    /// What belongs to connections (TLS, proxies, trusted hosts, address policy, credentials of hosts) is the transport's: a
    /// new transport has connections of its own, so none is used that its configuration would forbid. The earlier one is
    /// released when its last transfer has ended.
    ///
    /// ```swift
    /// var transfers = CurlTransport.Configuration()
    /// transfers.proxies = .none
    /// downloader.updateConfiguration(downloader.configuration, transport: CurlTransport(configuration: transfers))
    /// ```
    ///
    /// Requests share a transfer with an earlier one only where its answer cannot differ: with the same transport and an equal
    /// ``Configuration/policy``. Loads of pipelines see the new policy in the keys of their images from the next request on; one
    /// that was under way, and whose transfer begins now, is sent by the new policy, and its image is not cached. May be called
    /// from any thread; of two calls at the same time, one counts. No lock is held while transfers begin or end.
    ///
    /// - Parameters:
    ///   - configuration: The settings from now on.
    ///   - transport: Carries the requests from now on; `nil`: the one in use goes on. Default: `nil`.
    public func updateConfiguration(_ configuration: Configuration, transport: (any HTTPTransport)? = nil) {
        // Equality of policies compares hooks by identities that were fixed when they were given, and runs no code of theirs;
        // made anew if another call came first, so that no lock is held for it.
        while true {
            let earlier = setup
            let next = earlier.replaced(by: configuration, transport)
            guard !replaceSetup(earlier, with: next) else { return }
        }
    }
}
