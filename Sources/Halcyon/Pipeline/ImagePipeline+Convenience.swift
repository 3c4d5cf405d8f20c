public import FoundationEssentials
public import HalcyonCodecs

extension ImagePipeline {
    /// Starts a load of the image at a URL, or answers from memory at once.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    public func task(for url: URL, options: [ImageOption] = []) -> ImageTask {
        task(for: ImageRequest(url, options: options))
    }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func image(
        from request: ImageRequest,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> DecodedImage {
        try await response(for: request).image
    }

    /// Loads the image at a URL.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func image(
        from url: URL,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> DecodedImage {
        try await response(for: url, options: options).image
    }

    /// Returns the encoded bytes of the original at a URL, from disk or from its source, without decoding or storing
    /// them.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func data(for url: URL, options: [ImageOption] = []) async throws -> Data {
        try await data(for: ImageRequest(url, options: options))
    }
}
