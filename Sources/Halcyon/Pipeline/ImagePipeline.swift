public import FoundationEssentials
internal import HalcyonSystem

/// Loads images from memory, from disk, from the network or from another source, and decodes and processes them.
///
/// Equal work is done once for all its waiters: a transfer, a decoding, each processing step. A pipeline is safe to use
/// from any thread.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(from: url)
/// ```
public final class ImagePipeline: Sendable {
    /// The pipeline for programs that need only one, with the default configuration until another is assigned.
    public static var shared: ImagePipeline {
        get {
            if let pipeline = sharedPipeline.withLock({ $0 }) { return pipeline }
            // Made without the lock, as that starts threads and takes locks of its own. Of two made at the same time one is
            // shared, and the other is released once the lock is.
            let created = ImagePipeline()
            defer { withExtendedLifetime(created) {} }
            return sharedPipeline.withLock { pipeline in
                if let pipeline { return pipeline }
                pipeline = created
                return created
            }
        }
        set {
            // The earlier pipeline is released after the lock, as its deinitialization may run code of the program.
            let earlier = sharedPipeline.withLock { pipeline in
                defer { pipeline = newValue }
                return pipeline
            }
            withExtendedLifetime(earlier) {}
        }
    }

    private static let sharedPipeline = Lock<ImagePipeline?>(nil)

    /// The parts that the pipeline works with.
    public let configuration: Configuration
    let stages: PipelineStages
    private let memory: MemoryStage
    /// `true` if no interceptor or loader changes all requests, and no observer is told of hits. Read at each look into
    /// memory.
    private let isPlain: Bool
    /// The number of hits that the memory caches had counted when counting began.
    let memoryHitsAtReset: Lock<Int>

    /// A pipeline of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        stages = PipelineStages(configuration)
        memory = stages.memory
        isPlain = configuration.observers.isEmpty && !stages.interception.isForAll
        memoryHitsAtReset = Lock(configuration.cache.memoryStatistics.hits)
    }

    /// The cache of the configuration.
    public var cache: ImageCache { configuration.cache }

    /// Returns ``Configuration/defaultOptions`` with changes, applied in their order: a whole value.
    public func options(_ changes: [ImageOption] = []) -> ImageOptions {
        configuration.defaultOptions.applying(changes)
    }

    /// Returns a request with the options that this pipeline loads it with, before its interceptors.
    ///
    /// - Parameter earlier: Changes that come before those of the request. Default: none.
    package func completed(_ request: ImageRequest, after earlier: [ImageOption] = []) -> ImageRequest {
        request.completed(over: configuration.defaultOptions, after: earlier)
    }

    /// Starts a load, or answers from memory at once.
    public func task(for request: ImageRequest) -> ImageTask {
        let prepared = stages.interception.prepared(request)
        let request = prepared.request
        if let response = preparedResponse(for: request) { return ImageTask(request: request, response: response) }
        let call = stages.resolver.begin(prepared)
        let task = ImageTask(request: request)
        let feed = task.previewFeed
        if let feed { stages.sendCachedPreview(of: request, to: feed) }
        let begun = stages.activities.begin(request)
        task.start { [stages] context in
            let load = Load(ImageForm(stages))
            guard let feed else {
                return try await load.observed(call, begun: begun, context: context)
                    .delivered(request.options.delivery)
            }
            return try await stages.activities.run(begun, context: context, place: \.source) { context in
                try await stages.sendingPreviews(of: call, to: feed, context: context) { context in
                    try await load.intercepted(call, context: context)
                }.delivered(request.options.delivery)
            }
        }
        return task
    }

    /// Loads an image, and returns it with its source.
    ///
    /// An image in memory is returned without suspending or leaving the actor of the caller, which is what `isolation`
    /// is for. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for request: ImageRequest,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        if let found = plainResponse(for: request) {
            if let found { return found }
            return try await load(PendingRequest(completed(request)))
        }
        let prepared = stages.interception.prepared(request)
        if let response = preparedResponse(for: prepared.request) { return response }
        return try await load(prepared)
    }

    /// Loads the image at a URL, and returns it with its source.
    ///
    /// An image in memory is returned without suspending or leaving the actor of the caller, which is what `isolation`
    /// is for. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func response(
        for url: URL,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        // Without a copy of the options, which would count a reference. A source is made only for a load: making it takes
        // longer than a hit.
        guard isPlain, options.isEmpty, configuration.defaultOptions.isOrdinary else {
            return try await response(for: ImageRequest(url, exactly: self.options(options)))
        }
        if let response = plainResponse(for: url, options: configuration.defaultOptions) { return response }
        return try await load(PendingRequest(ImageRequest(url, exactly: configuration.defaultOptions)))
    }

    private func load(_ call: PendingRequest) async throws -> ImageResponse {
        try await result(of: call, as: ImageForm(stages)).delivered(call.options.delivery)
    }

    /// Runs a load that no progress is reported of.
    private func result<Form: LoadForm>(of call: PendingRequest, as form: Form) async throws -> Form.Result {
        let call = stages.resolver.begin(call)
        let context = WorkContext(priority: PriorityBox(call.options.priority), report: { _ in })
        let begun = stages.activities.begin(call.request)
        return try await Load(form).observed(call, begun: begun, context: context)
    }

    /// Returns the encoded bytes of an original, from disk or from its source, without decoding or storing them.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func data(for request: ImageRequest) async throws -> Data {
        var call = stages.interception.prepared(request)
        if call.interceptors.isEmpty {
            call = PendingRequest(call.request.ofBytes, begun: call.begun, enclosing: call.enclosing)
        }
        return try await result(of: call, as: OriginalForm(stages)).data
    }

    /// Returns the image if memory has it, without waiting, and never with ``ImageResponse/data``. The fastest function
    /// for this, as no source is made.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``. Of a file, see ``responseFromMemory(for:)``.
    ///   - options: The changes to the options of the pipeline that it was loaded with. Default: none.
    public func responseFromMemory(for url: URL, options: [ImageOption] = []) -> ImageResponse? {
        if options.isEmpty { return responseFromMemory(for: url, exactly: configuration.defaultOptions) }
        return responseFromMemory(for: url, exactly: self.options(options))
    }

    /// Returns the image if memory has it with exactly these options; see ``responseFromMemory(for:options:)``.
    public func responseFromMemory(for url: URL, exactly options: ImageOptions) -> ImageResponse? {
        guard isPlain, options.isOrdinary else { return responseFromMemory(for: ImageRequest(url, exactly: options)) }
        if let response = plainResponse(for: url, options: options) { return response }
        // Whether it is a file is found out where nothing is found: that takes as long as a hit.
        return url.isFileURL ? responseFromMemory(for: ImageRequest(url, exactly: options)) : nil
    }

    /// Returns the image if memory has it, without waiting, and never with ``ImageResponse/data``.
    ///
    /// The image of a file without a cache key is that of the file as a load of this pipeline examined it last: a load
    /// finds out whether it has changed since.
    ///
    /// - Parameter request: The source, and the options that it was loaded with.
    public func responseFromMemory(for request: ImageRequest) -> ImageResponse? {
        if !request.source.isExaminedFirst, let found = plainResponse(for: request) { return found }
        let request = stages.interception.prepared(request).request
        return observedResponse(for: request, in: lastState(of: request.source))
    }

    /// Returns the state in which a file without a cache key was examined last; `nil` if it was not, and for other sources.
    func lastState(of source: Source) -> FileReader.Identity? {
        source.isExaminedFirst ? source.filePath.flatMap { stages.resolver.files.lastIdentity(of: $0) } : nil
    }

    /// Returns the answer of memory, or no image, to a request that needs nothing but a look; `nil` for any other.
    @inline(__always)
    private func plainResponse(for request: ImageRequest) -> ImageResponse?? {
        guard isPlain else { return nil }
        // Without a copy of the options, as for a URL.
        switch request.givenOptions {
        case .changes(let changes):
            guard changes.isEmpty, configuration.defaultOptions.isOrdinary else { return nil }
            return .some(memory.response(for: request.source, options: configuration.defaultOptions))
        case .whole(let options):
            guard options.isOrdinary else { return nil }
            return .some(memory.response(for: request.source, options: options))
        }
    }

    /// Returns the answer of memory to a URL, with options that need nothing but a look.
    @inline(__always)
    private func plainResponse(for url: URL, options: ImageOptions) -> ImageResponse? {
        var name = url.absoluteString
        // Of the schemes that images are loaded from, only those of the web begin with an "h".
        guard name.withUTF8({ $0.first.map { $0 | 0x20 } }) == UInt8(ascii: "h") else { return nil }
        return memory.response(named: consume name, options: options, source: .url(url))
    }

    /// Returns an image from memory that has all that the options ask for, and tells the observers of it.
    ///
    /// - Parameter request: With completed options, after interceptors.
    @inline(never)
    func preparedResponse(for request: ImageRequest) -> ImageResponse? {
        request.options.delivery.includesOriginalData ? nil : observedResponse(for: request)
    }

    private func observedResponse(for request: ImageRequest, in state: FileReader.Identity? = nil) -> ImageResponse? {
        let response = memory.response(for: request.source, in: state, options: request.options)
        if response != nil { stages.activities.noteHit(of: request.source, request.options) }
        return response
    }
}
