extension ImagePipeline {
    /// Returns a request as this pipeline loads it: with its default options, after the first step of its interceptors,
    /// and with the providers of its loaders.
    ///
    /// An ``ImageCache`` knows no pipeline. Where interceptors or loaders rewrite requests, its functions find the
    /// image of the rewritten one:
    ///
    /// ```swift
    /// try await pipeline.cache.remove(for: pipeline.prepared(request))
    /// ```
    public func prepared(_ request: ImageRequest) -> ImageRequest {
        stages.interception.prepared(request).request
    }
}
