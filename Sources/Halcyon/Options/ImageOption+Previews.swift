extension ImageOption {
    /// Hands out images of lower quality while the image is loaded; see ``ImageOptions/previews``.
    ///
    /// ```swift
    /// .previews([.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"), .url(small)])
    /// ```
    ///
    /// - Parameter sources: Their sources, from the worst to the best.
    public static func previews(_ sources: [Source]) -> ImageOption {
        ImageOption(.previews) { $0.previews = sources }
    }
}
