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

extension ImagePipeline {
    /// Loads an image and calls back with its progress and its result. The same as ``task(for:)``, for code without
    /// concurrency.
    ///
    /// ```swift
    /// let task = pipeline.loadImage(with: request) { result in
    ///     MainActor.assumeIsolated { window.show(result) }
    /// }
    /// ```
    ///
    /// Calls come one after the other, in the place of `executor`. An image in memory is delivered before this returns,
    /// where that place is the caller's.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - executor: The place where the closures are called; `nil`: that of the options
    ///     (``DeliveryPolicy/callbackExecutor``, by default the main actor, which not every program runs). Default:
    ///     `nil`.
    ///   - progress: Called when bytes have been received; a slow place gets the latest state. Default: `nil`.
    ///   - completion: Called exactly once, after the last call of `progress`. The error is an ``ImageError``, or
    ///     `CancellationError` if the task was cancelled.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        on executor: CallbackExecutor? = nil,
        progress: (@Sendable (ImageProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        let executor = executor ?? task.request.options.delivery.callbackExecutor
        task.relay(to: CallbackRelay(executor, progress: progress, completion: completion))
        return task
    }

    /// Loads the image at a URL and calls back with its progress and its result.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - executor: The place where the closures are called; `nil`: that of the options. Default: `nil`.
    ///   - progress: Called when bytes have been received. Default: `nil`.
    ///   - completion: Called exactly once, after the last call of `progress`.
    @discardableResult
    public func loadImage(
        with url: URL,
        options: [ImageOption] = [],
        on executor: CallbackExecutor? = nil,
        progress: (@Sendable (ImageProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url, options: options), on: executor, progress: progress, completion: completion)
    }
}
