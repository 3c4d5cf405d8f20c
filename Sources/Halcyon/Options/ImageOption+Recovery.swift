extension ImageOption {
    /// Tries again when the bytes cannot be loaded.
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
