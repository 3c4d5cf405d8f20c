internal import FoundationEssentials
internal import HalcyonCodecs

extension PipelineStages {
    /// Returns the image of a request, before it is delivered. Until it is there, the feed is given previews.
    ///
    /// - Parameter pending: The request if none intercepts its load; `nil` otherwise.
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(
        for prepared: PreparedRequest,
        _ pending: PendingRequest?,
        to feed: PreviewFeed,
        context: WorkContext
    ) async throws -> ImageResponse {
        let request = pending ?? resolver.begin(prepared.request, begun: prepared.called, within: prepared.enclosing)
        return try await previews.response(for: request, to: feed, context: context) { context in
            guard pending == nil else { return try await fallback.response(for: request, context: context) }
            return try await interceptedResponse(for: prepared, context: context)
        }
    }

    /// Returns the image of a request that interceptors take part in, before it is delivered.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func interceptedResponse(for prepared: PreparedRequest, context: WorkContext) async throws -> ImageResponse {
        let result = try await intercepted(prepared, .image, context) { [self] request, context in
            let pending = resolver.begin(request, begun: prepared.called)
            return LoadResult(try await fallback.response(for: pending, context: context))
        }
        return try result.answer(to: prepared.request)
    }

    /// Returns the encoded image of a request that interceptors take part in.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func interceptedImage(
        for prepared: PreparedRequest,
        as encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> EncodedImage {
        let result = try await intercepted(prepared, .encodedImage, context) { [self] request, context in
            let pending = resolver.begin(request, begun: prepared.called)
            return LoadResult(.encodedImage(try await fallback.encoded(for: pending, as: encoding, context: context)))
        }
        if let image = result.encodedImage { return image }
        let answer = try result.answer(to: prepared.request)
        return try await self.encoding.encoded(answer, of: prepared.request, as: encoding, context: context)
    }

    /// Returns the bytes of the original of a request that interceptors take part in, and the place they came from. An
    /// answer that has none is encoded as PNG.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func interceptedOriginal(
        for prepared: PreparedRequest,
        context: WorkContext
    ) async throws -> (data: Data, source: ImageResponse.Source) {
        let result = try await intercepted(prepared, .original, context) { [self] request, context in
            let pending = resolver.begin(request.ofBytes, begun: prepared.called)
            return LoadResult(.original(try await fallback.original(for: pending, context: context)))
        }
        if let data = result.originalData { return (data, result.source) }
        let answer = try result.answer(to: prepared.request)
        if let data = answer.data { return (data, answer.source) }
        let source = "\(prepared.request.source)"
        let encoding = try ImageEncoding(.format(.png), codecs: .standard, source: source)
        let image = try await self.encoding.encoded(answer, of: prepared.request, as: encoding, context: context)
        return (image.data, answer.source)
    }

    /// Brings an image that interceptors take part in into the cache.
    ///
    /// - Returns: The place that it was loaded from; that of the cache if it had the image, or gets none.
    /// - Throws: ``ImageError``, `CancellationError`.
    func interceptedPrefetch(
        of prepared: PreparedRequest,
        to destination: ImagePrefetcher.Destination,
        context: WorkContext
    ) async throws -> ImageResponse.Source {
        let result = try await intercepted(prepared, .cacheEntry, context) { [self] request, context in
            let pending = resolver.begin(request, begun: prepared.called)
            return LoadResult(.cacheEntry(try await prefetching.prefetch(pending, to: destination, context: context)))
        }
        // An answer is stored nowhere.
        return if case .cacheEntry(let source) = result.content { source } else { .memory }
    }

    private func intercepted(
        _ prepared: PreparedRequest,
        _ form: InterceptedLoad.Form,
        _ context: WorkContext,
        load: @escaping InterceptorChain.Loader
    ) async throws -> LoadResult {
        let chain = InterceptorChain(
            prepared,
            form: form,
            interception: interception,
            context: context,
            load: load
        )
        return try await chain.result()
    }
}

extension LoadResult {
    /// Returns the image.
    ///
    /// - Throws: ``ImageError`` if it is the result of another load, which had another form.
    fileprivate func answer(to request: ImageRequest) throws(ImageError) -> ImageResponse {
        if let response { return response }
        let reason = ImageError.Reason.interceptor("an interceptor returned the result of a load of another form")
        throw ImageError(stage: .load, reason: reason, source: "\(request.source)")
    }
}
