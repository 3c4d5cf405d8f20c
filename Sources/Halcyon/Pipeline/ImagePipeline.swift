public import FoundationEssentials
internal import HalcyonConcurrency

/// Loads images: from memory, from disk, from the network or wherever the source says, decoded and processed.
///
/// Equal work is done once for everyone who waits for it: a transfer, a decoding, each processing step. A pipeline is
/// safe to use from any thread.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(from: url)
/// ```
public final class ImagePipeline: Sendable {
    /// The pipeline for programs that need only one, with the default configuration until another is assigned.
    public static var shared: ImagePipeline {
        get {
            sharedPipeline.withLock { pipeline in
                if let pipeline { return pipeline }
                let created = ImagePipeline()
                pipeline = created
                return created
            }
        }
        set {
            // The one before is released once the lock is: its end may run code of the user.
            let earlier = sharedPipeline.withLock { pipeline in
                defer { pipeline = newValue }
                return pipeline
            }
            withExtendedLifetime(earlier) {}
        }
    }

    private static let sharedPipeline = Lock<ImagePipeline?>(nil)

    /// What the pipeline works with.
    public let configuration: Configuration
    let stages: PipelineStages
    private let memory: MemoryStage
    /// Whether options start from others than the standard ones. Asked for at each look into memory.
    private let hasDefaults: Bool

    /// A pipeline of its own.
    public init(configuration: Configuration = Configuration()) {
        var configuration = configuration
        configuration.defaultOptions = configuration.defaultOptions.asBase()
        self.configuration = configuration
        hasDefaults = !configuration.defaultOptions.isStandard
        stages = PipelineStages(configuration)
        memory = stages.memory
    }

    /// Where images are kept.
    public var cache: ImageCache { configuration.cache }

    /// The options of a call, which start from the pipeline's.
    func completed(_ options: ImageOptions) -> ImageOptions {
        hasDefaults ? options.over(configuration.defaultOptions) : options
    }

    /// The options of a call that are given as changes of the pipeline's.
    func completed(_ changes: [ImageOption]) -> ImageOptions {
        changes.isEmpty ? configuration.defaultOptions : configuration.defaultOptions.applying(changes)
    }

    /// Starts a load, or answers from memory at once.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: How; they start from ``Configuration/defaultOptions``.
    public func task(for source: Source, options: ImageOptions) -> ImageTask {
        let options = completed(options)
        if let response = cachedResponse(for: source, options: options) {
            return ImageTask(source: source, options: options, response: response)
        }
        let request = stages.resolver.begin(source, options: options)
        let task = ImageTask(source: source, options: options)
        task.start { [stages] context in try await stages.fallback.response(for: request, context: context) }
        return task
    }

    /// Loads an image and says how it was come by.
    ///
    /// An image in memory is given back without suspending or leaving the actor of the caller, which is what `isolation` is
    /// for. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: How; they start from ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for source: Source,
        options: ImageOptions,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        if let response = responseFromMemory(for: source, options: options) { return response }
        return try await load(source, options: completed(options))
    }

    /// Loads an image and says how it was come by.
    ///
    /// An image in memory is given back without suspending or leaving the actor of the caller, which is what `isolation` is
    /// for. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - url: What to load.
    ///   - options: How; they start from ``Configuration/defaultOptions``.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for url: URL,
        options: ImageOptions,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        if let response = responseFromMemory(for: url, options: options) { return response }
        // A source is made only for a load: making it takes longer than a hit.
        return try await load(.url(url), options: completed(options))
    }

    private func load(_ source: Source, options: ImageOptions) async throws -> ImageResponse {
        let request = stages.resolver.begin(source, options: options)
        let context = WorkContext(priority: PriorityBox(options.priority), report: { _ in })
        return try await stages.fallback.response(for: request, context: context)
    }

    /// The encoded bytes of an original, from disk or from its source, without decoding or storing them.
    ///
    /// - Parameters:
    ///   - source: What to load.
    ///   - options: How; they start from ``Configuration/defaultOptions``.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func data(for source: Source, options: ImageOptions) async throws -> Data {
        let options = completed(options)
        let request = stages.resolver.begin(source, options: options)
        let context = WorkContext(priority: PriorityBox(options.priority), report: { _ in })
        return try await stages.fallback.original(for: request, context: context).data
    }

    /// The image if memory has it, without any waiting. The fastest way: no source is made.
    ///
    /// - Parameters:
    ///   - url: Names the original.
    ///   - options: How it was loaded; they start from ``Configuration/defaultOptions``.
    public func responseFromMemory(for url: URL, options: ImageOptions) -> ImageResponse? {
        // Without a copy, which would count a reference.
        if !hasDefaults { return cachedResponse(for: url, options: options) }
        return cachedResponse(for: url, options: completed(options))
    }

    /// The image if memory has it, without any waiting. Images of files are not found this way, because the file would
    /// have to be looked at first.
    ///
    /// - Parameters:
    ///   - source: Names the original.
    ///   - options: How it was loaded; they start from ``Configuration/defaultOptions``.
    public func responseFromMemory(for source: Source, options: ImageOptions) -> ImageResponse? {
        if !hasDefaults { return cachedResponse(for: source, options: options) }
        return cachedResponse(for: source, options: completed(options))
    }

    /// - Parameter options: As they count, defaults included.
    @inline(__always)
    private func cachedResponse(for url: URL, options: ImageOptions) -> ImageResponse? {
        var name = url.absoluteString
        // Of the schemes that images are loaded from, only those of the web begin with an "h".
        guard name.withUTF8({ $0.first.map { $0 | 0x20 } }) == UInt8(ascii: "h") else { return nil }
        return memory.response(named: consume name, options: options, source: .url(url))
    }

    private func cachedResponse(for source: Source, options: ImageOptions) -> ImageResponse? {
        // A key rule is for addresses alone.
        guard source.isPlain, options.cache.keyRule == nil || source.isNamedByAddress else {
            return memory.response(for: source, options: options)
        }
        guard let name = source.originalName else { return nil }
        return memory.response(named: name, options: options, source: source)
    }
}
