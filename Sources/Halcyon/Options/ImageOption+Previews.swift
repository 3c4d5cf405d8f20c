extension ImageOption {
    /// Hands out images of lower quality while the image is loaded; see ``ImageOptions/previews``.
    ///
    /// ```swift
    /// .previews([.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"), .url(small)])
    /// ```
    ///
    /// What the caches have of the image itself, while its server is asked for a newer one:
    ///
    /// ```swift
    /// [.revalidate, .previews([.url(url)])]
    /// ```
    ///
    /// - Parameter sources: Their sources, from the worst to the best.
    public static func previews(_ sources: [Source]) -> ImageOption {
        ImageOption(sources) { $0.previews = sources }
    }

    /// Hands out the newest state of the image while its bytes arrive; see ``ImageOptions/progressive``.
    public static var progressive: ImageOption { .progressive(.latest) }

    /// Hands out previews of the image while its bytes arrive; see ``ImageOptions/progressive``.
    ///
    /// ```swift
    /// .progressive(.each(minimumInterval: .milliseconds(250)))
    /// ```
    public static func progressive(_ policy: ProgressivePolicy) -> ImageOption {
        ImageOption(policy) { $0.progressive = policy }
    }
}
