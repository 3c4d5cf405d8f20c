public import HTTPTypes
public import HalcyonHTTP

extension ImageOption {
    /// Sends these headers with the request, instead of those that it has of the same names. With a `Cache-Control` of
    /// `no-cache`, or of a `max-age` of 0, the server is asked before an image of any cache is used (RFC 9111, section 5.2.1).
    public static func headers(_ headers: HTTPFields) -> ImageOption {
        let control = CacheControl(headers)
        let revalidates = control.noCache || control.maxAge.value == 0
        return ImageOption(headers) { options in
            options.network.headers = headers
            options.cache.followHeaders(ask: revalidates)
        }
    }

    /// Uses another method than the request's.
    public static func method(_ method: HTTPRequest.Method) -> ImageOption {
        ImageOption(method) { $0.network.method = method }
    }

    /// Changes the transfer: its request, redirects, credentials, response and body; see ``DownloadHooks``.
    public static func hooks(_ hooks: some DownloadHooks) -> ImageOption {
        let hook = Hook<any DownloadHooks>(hooks, identity: hooks)
        return ImageOption(hook) { $0.network.rules.handling.hooks = hook }
    }

    /// Treats statuses outside this range as errors.
    public static func acceptedStatusCodes(_ codes: Range<Int>) -> ImageOption {
        ImageOption(codes) { $0.network.acceptedStatusCodes = codes }
    }

    /// Treats content types other than these, such as "image/*", as errors.
    public static func acceptedContentTypes(_ types: Set<String>) -> ImageOption {
        ImageOption(types) { $0.network.acceptedContentTypes = types }
    }

    /// Tries again when the bytes cannot be loaded, whatever the method of the request: the strategy has the source, and
    /// may refuse to send one again that must not be handled twice (RFC 9110, section 9.2.2).
    ///
    /// ```swift
    /// .retry(.exponential(maxAttempts: 3))
    /// ```
    public static func retry(_ strategy: some RetryStrategy) -> ImageOption {
        let hook = Hook<any RetryStrategy>(strategy, identity: strategy)
        return ImageOption(hook) { $0.recovery.retryHook = hook }
    }

    /// Loads the first of these sources that succeeds if the source of the request fails.
    public static func alternativeSources(_ sources: [Source]) -> ImageOption {
        ImageOption(sources) { $0.recovery.alternatives = sources }
    }

    /// Loads this source instead if the network is metered.
    public static func lowDataSource(_ source: Source) -> ImageOption {
        ImageOption(source) { $0.recovery.lowDataSource = source }
    }

    /// Sets whether a metered network may be used.
    public static func allowsMetered(_ isAllowed: Bool) -> ImageOption {
        ImageOption(isAllowed) { $0.recovery.allowsMetered = isAllowed }
    }
}

extension TransferTimeouts {
    /// Returns timeouts for a server that may stay silent for `timeout`, before and after the connection is
    /// established; zero means 15 s. The whole transfer may take 5 minutes, or `timeout` if that is longer.
    public static func download(_ timeout: Duration) -> TransferTimeouts {
        let standard = TransferTimeouts.standard
        guard timeout > .zero else { return standard }
        return TransferTimeouts(connect: timeout, idle: timeout, total: max(standard.total, timeout))
    }
}
