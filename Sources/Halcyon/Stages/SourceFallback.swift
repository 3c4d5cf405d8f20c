/// Tries a source, then those that the options name to take its place.
struct SourceFallback: Sendable {
    let resolver: RequestResolver
    let image: ImageStage
    let original: OriginalStage

    /// The image of the source, or of one that takes its place.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: PendingRequest, context: WorkContext) async throws -> ImageResponse {
        let start = ContinuousClock.now
        var (response, substitution) = try await firstSuccess(request, context) { request in
            try await image.response(for: request, context: context)
        }
        response.substitution = substitution
        response.timings.total = ContinuousClock.now - start
        return response
    }

    /// The encoded bytes of the source, or of one that takes its place, without decoding them. They are not stored: nobody
    /// knows that they are an image.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func original(for request: PendingRequest, context: WorkContext) async throws -> Original {
        try await anySource(request, context) { try await original.original(for: $0, context: context) }
    }

    /// Does something with the source, or with the first of those that take its place for which it can be done.
    func anySource<Value>(
        _ request: PendingRequest,
        _ context: WorkContext,
        _ body: (ResolvedRequest) async throws -> Value
    ) async throws -> Value {
        try await firstSuccess(request, context, load: body).0
    }

    /// Goes from source to source until one can be loaded. Which are left is known here alone and nowhere shared, so
    /// none is loaded twice and no error is lost.
    ///
    /// - Throws: ``ImageError``; `CancellationError` ends it, whichever source it comes from.
    private func firstSuccess<Value>(
        _ request: PendingRequest,
        _ context: WorkContext,
        load: (ResolvedRequest) async throws -> Value
    ) async throws -> (Value, SourceSubstitution?) {
        let recovery = request.options.recovery
        guard recovery.hasOtherSources else {
            return (try await load(resolver.resolve(request, context: context)), nil)
        }
        var options = request.options
        options.recovery = recovery.ofOneSource
        var lowDataSource = recovery.lowDataSource
        var alternatives = recovery.alternatives[...]
        var tried: Set<Source> = [request.source]
        var failures: [SourceFailure] = []
        var next = request.with(options.recovery)
        while true {
            do {
                let value = try await load(resolver.resolve(next, context: context))
                guard !failures.isEmpty else { return (value, nil) }
                let substitution = SourceSubstitution(
                    requested: request.source,
                    used: next.source,
                    failures: failures
                )
                return (value, substitution)
            } catch let error as ImageError {
                // What failed because it was cancelled has no alternative, whatever error it comes with.
                try Task.checkCancellation()
                failures.append(SourceFailure(source: next.source, error: error))
                if case .meteredNetwork = error.reason, let source = lowDataSource {
                    lowDataSource = nil
                    tried.insert(source)
                    var metered = options
                    metered.recovery.allowsMetered = true
                    next = resolver.begin(ImageRequest(source, options: metered), begun: request.begun)
                } else if let source = alternatives.first(where: { !tried.contains($0) }) {
                    tried.insert(source)
                    alternatives = alternatives.drop { tried.contains($0) }
                    next = resolver.begin(ImageRequest(source, options: options), begun: request.begun)
                } else {
                    throw ImageError(failures) ?? error
                }
            }
        }
    }
}

extension PendingRequest {
    /// The same request with another policy for failures.
    fileprivate func with(_ recovery: RecoveryPolicy) -> PendingRequest {
        var request = request
        request.options.recovery = recovery
        return PendingRequest(request: request, begun: begun, resolved: resolved?.with(recovery))
    }
}

extension ImageError {
    /// The error of a load that has tried all its sources; `nil` for none. A single failure speaks for itself.
    fileprivate init?(_ failures: [SourceFailure]) {
        guard let first = failures.first else { return nil }
        self = first.error
        if failures.count > 1 { reason = .alternativesExhausted(failures) }
    }
}
