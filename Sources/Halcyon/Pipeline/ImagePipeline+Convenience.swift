public import FoundationEssentials
public import HalcyonCodecs

extension ImagePipeline {
    /// Starts a load, or answers from memory at once.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    public func task(for source: Source, options: [ImageOption] = []) -> ImageTask {
        task(for: source, options: completed(options))
    }

    /// Starts a load, or answers from memory at once.
    ///
    /// - Parameters:
    ///   - url: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    public func task(for url: URL, options: [ImageOption] = []) -> ImageTask {
        let options = completed(options)
        return task(for: .url(url), options: options)
    }

    /// Loads an image and says how it was come by.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for source: Source,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        try await response(for: source, options: completed(options))
    }

    /// Loads an image and says how it was come by.
    ///
    /// - Parameters:
    ///   - url: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for url: URL,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        try await response(for: url, options: completed(options))
    }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func image(
        from source: Source,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> DecodedImage {
        try await response(for: source, options: options).image
    }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - url: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller, which an image in memory does not leave. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func image(
        from url: URL,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> DecodedImage {
        try await response(for: url, options: options).image
    }

    /// The encoded bytes of an original, from disk or from its source, without decoding or storing them.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func data(for source: Source, options: [ImageOption] = []) async throws -> Data {
        try await data(for: source, options: completed(options))
    }

    /// The image if memory has it, without any waiting. The fastest way: no source is made.
    ///
    /// - Parameters:
    ///   - url: Names the original.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    public func responseFromMemory(for url: URL, options: [ImageOption] = []) -> ImageResponse? {
        responseFromMemory(for: url, options: completed(options))
    }

    /// The image if memory has it, without any waiting. Images of files are not found this way, because the file would
    /// have to be looked at first.
    ///
    /// - Parameters:
    ///   - source: Names the original.
    ///   - options: Changes to ``Configuration/defaultOptions``.
    public func responseFromMemory(for source: Source, options: [ImageOption] = []) -> ImageResponse? {
        responseFromMemory(for: source, options: completed(options))
    }
}
