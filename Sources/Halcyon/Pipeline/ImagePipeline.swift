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
    let loader: ImageLoader

    /// A pipeline of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loader = ImageLoader(configuration: configuration)
    }

    /// Where images are kept.
    public var cache: ImageCache { configuration.cache }

    /// Starts a load, or answers from memory at once.
    public func task(for source: Source, options: ImageOptions) -> ImageTask {
        if let response = responseFromMemory(for: source, options: options) {
            return ImageTask(source: source, options: options, response: response)
        }
        let request = loader.begun(LoadRequest(source: source, options: options))
        let task = ImageTask(source: source, options: options)
        let loader = loader
        task.start { context in try await loader.responseOfAnySource(for: request, context: context) }
        return task
    }

    /// Loads an image and says how it was come by.
    ///
    /// An image in memory is given back without suspending or leaving the actor of the caller, which is what `isolation` is
    /// for. Cancelling the calling task cancels the load.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for source: Source,
        options: ImageOptions,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        if let response = responseFromMemory(for: source, options: options) { return response }
        return try await load(source, options: options)
    }

    /// Loads an image and says how it was come by.
    ///
    /// An image in memory is given back without suspending or leaving the actor of the caller, which is what `isolation` is
    /// for. Cancelling the calling task cancels the load.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for url: URL,
        options: ImageOptions,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        // A source is made only for a load: making it takes longer than a hit.
        if let response = responseFromMemory(for: url, options: options) { return response }
        return try await load(.url(url), options: options)
    }

    private func load(_ source: Source, options: ImageOptions) async throws -> ImageResponse {
        let request = loader.begun(LoadRequest(source: source, options: options))
        let context = WorkContext(priority: PriorityBox(options.priority), report: { _ in })
        return try await loader.responseOfAnySource(for: request, context: context)
    }

    /// The encoded bytes of an original, from disk or from its source, without decoding or storing them.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func data(for source: Source, options: ImageOptions = ImageOptions()) async throws -> Data {
        let request = LoadRequest(source: source, options: options)
        let context = WorkContext(priority: PriorityBox(options.priority), report: { _ in })
        return try await loader.originalOfAnySource(for: request, context: context).data
    }

    /// The image if memory has it, without any waiting. The fastest way: no source is made.
    public func responseFromMemory(for url: URL, options: ImageOptions = ImageOptions()) -> ImageResponse? {
        var name = url.absoluteString
        // Of the schemes that images are loaded from, only those of the web begin with an "h".
        guard name.withUTF8({ $0.first.map { $0 | 0x20 } }) == UInt8(ascii: "h") else { return nil }
        return loader.responseFromMemory(named: consume name, options: options, source: .url(url))
    }

    /// The image if memory has it, without any waiting. Images of files are not found this way, because the file would
    /// have to be looked at first.
    public func responseFromMemory(for source: Source, options: ImageOptions) -> ImageResponse? {
        guard let name = source.originalName else { return nil }
        return loader.responseFromMemory(named: name, options: options, source: source)
    }
}
