/// A type that takes part in loads: rewrites their requests, answers them itself, or changes what they give.
///
/// The interceptors of ``ImagePipeline/Configuration/interceptors`` take part in every load of a pipeline, after them
/// those of ``ImageOptions/interceptors`` in the loads whose options name them. They form a chain, the first outermost;
/// one that is equal to an earlier one is left out. Each has two steps, of which either may be left out:
///
/// | step | called | may |
/// |---|---|---|
/// | ``prepared(_:)`` | once for each call of the pipeline, at once, before memory is looked into | rewrite the request |
/// | ``result(of:)`` | once for each load of an image that memory does not have | rewrite the request, answer it, change the response, replace an error |
///
/// An image in memory is thus still returned at once, and without the second step: what is to be done to every image
/// that is delivered is an ``ImageModifying``, and what is to be kept an ``ImageProcessing``, both of which the first
/// step may add to the options. ``ImagePipeline/responseFromMemory(for:)`` and
/// ``ImagePipeline/responseFromCache(for:within:)`` have the first step only.
///
/// The request that leaves the chain is the one that is loaded: its source and options are the identity of the image in
/// caches and of shared work. What an interceptor answers, and what it changes about a response, is given to this one
/// caller and stored nowhere. An interceptor is no part of any identity.
///
/// The chain is passed once for each load, with the previews and the sources in place of another among the options;
/// attempts and other sources are inside of it. A load that an interceptor begins in its own pipeline, within a step,
/// does not come to that interceptor again, unless it is begun in a detached task.
public protocol LoadIntercepting: Hashable, Sendable {
    /// Returns the request to go on with. Changes in it are applied to the defaults of the pipeline.
    ///
    /// Called on the thread of the caller, which waits for it: it must return at once, and the same for the same
    /// request. No lock is held. Default: the request itself.
    func prepared(_ request: ImageRequest) -> ImageRequest

    /// Returns the result of a load: that of ``InterceptedLoad/proceed()``, or another.
    ///
    /// Called in the task of the load, whose cancellation is that of the load: one that does not heed it delays the end
    /// of the load, and its late result is dropped. Equal loads at the same time each call it, and share what lies
    /// below the chain. Default: that of ``InterceptedLoad/proceed()``.
    ///
    /// - Throws: ``ImageError`` and `CancellationError` end the load as they are; any other error as an ``ImageError``
    ///   with the reason ``ImageError/Reason/interceptor(_:)``.
    func result(of load: InterceptedLoad) async throws -> LoadResult
}

extension LoadIntercepting {
    /// Returns the request itself, the default.
    public func prepared(_ request: ImageRequest) -> ImageRequest { request }

    /// Goes on with the load, the default.
    public func result(of load: InterceptedLoad) async throws -> LoadResult {
        try await load.proceed()
    }
}
