/// A load on its way through the chain of interceptors, as one of them sees it.
public struct InterceptedLoad: Sendable {
    /// The form in which the caller has asked for the result.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// An image: ``ImagePipeline/response(for:isolation:)``, a task, or a callback.
        case image
        /// Encoded bytes: ``ImagePipeline/encoded(for:as:isolation:)``.
        case encodedImage
        /// The bytes of the original: ``ImagePipeline/data(for:)``.
        case original
        /// Nothing but an entry in the caches: an ``ImagePrefetcher``.
        case cacheEntry
    }

    /// The request, as the interceptors before this one have left it, with the options of the pipeline.
    public let request: ImageRequest
    /// The form of the result.
    public let form: Form
    private let chain: InterceptorChain
    /// The index in the chain of the one who sees the load.
    private let index: Int

    init(_ request: ImageRequest, in chain: InterceptorChain, at index: Int) {
        self.request = request
        form = chain.form
        self.chain = chain
        self.index = index
    }

    /// The urgency of the load at this moment.
    public var priority: LoadPriority { chain.priority }

    /// Goes on with the load, and returns its result.
    ///
    /// - Throws: ``ImageError``, `CancellationError`, and the errors of the interceptors that follow.
    public func proceed() async throws -> LoadResult {
        try await chain.result(of: request, from: index + 1, isChanged: false)
    }

    /// Goes on with another request, and returns its result. It may be called any number of times until the interceptor
    /// has returned, also at the same time.
    ///
    /// The image is found, stored and shared under the identity of the request. The urgency and what belongs to the
    /// caller and not to the image, ``ImageOptions/delivery``, ``ImageOptions/previews`` and
    /// ``ImageOptions/interceptors``, stay those of the request after ``LoadIntercepting/prepared(_:)``.
    ///
    /// - Throws: ``ImageError``, `CancellationError`, and the errors of the interceptors that follow.
    public func proceed(with request: ImageRequest) async throws -> LoadResult {
        try await chain.result(of: request, from: index + 1, isChanged: true)
    }
}
