extension ImageOption {
    /// Decodes the image at the size of the place that shows it; see ``ImageOptions/targetSize``.
    ///
    /// ```swift
    /// .targetSize(.points(width: 160, height: 120, mode: .fill))
    /// ```
    public static func targetSize(_ size: TargetSize) -> ImageOption {
        ImageOption(size) { $0.targetSize = size }
    }

    /// Sets whether a larger image in memory answers a request with a target size; see ``CachePolicy/precision``.
    public static func precision(_ precision: SizePrecision) -> ImageOption {
        ImageOption(precision) { $0.cache.precision = precision }
    }
}
