/// Tries a source, then the sources that the options name to replace it.
struct SourceFallback: Sendable {
    let resolver: RequestResolver
    let image: ImageStage
    let encoding: EncodingStage
    let original: OriginalStage

    /// Returns the image of the source, or of one that replaces it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: PendingRequest, context: WorkContext) async throws -> ImageResponse {
        try await result(request, context) { try await image.response(for: $0, context: $1) }
    }

    /// Returns the encoded image of the source, or of one that replaces it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func encoded(
        for request: PendingRequest,
        as encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> EncodedImage {
        try await result(request, context) { request, context in
            try await self.encoding.encoded(for: request, as: encoding, context: context)
        }
    }

    /// Returns the first success, with its total time and the substitution.
    private func result<Result: CachedResult>(
        _ request: PendingRequest,
        _ context: WorkContext,
        load: (ResolvedRequest, WorkContext) async throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        var (result, substitution) = try await firstSuccess(request, context, load: load)
        result.substitution = substitution
        result.timings.total = ContinuousClock.now - start
        return result
    }

    /// Returns the image of the source itself, if no server and no provider has to be asked for it; `nil` otherwise,
    /// and where it cannot be read.
    func availableResponse(for request: PendingRequest, context: WorkContext) async -> ImageResponse? {
        let start = ContinuousClock.now
        guard let resolved = try? await resolver.resolve(request, context: context),
            var response = try? await image.availableResponse(for: resolved, context: context)
        else { return nil }
        response.timings.total = ContinuousClock.now - start
        return response
    }

    /// Returns the encoded bytes of the source, or of one that replaces it, without decoding them. They are not stored,
    /// as it is not known whether they are an image.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func original(for request: PendingRequest, context: WorkContext) async throws -> Original {
        try await anySource(request, context) { try await original.presentOriginal(for: $0, context: context) }
    }

    /// Returns the result of `body` for the source, or for the first replacement for which it succeeds.
    func anySource<Value>(
        _ request: PendingRequest,
        _ context: WorkContext,
        _ body: (ResolvedRequest) async throws -> Value
    ) async throws -> Value {
        try await firstSuccess(request, context) { request, _ in try await body(request) }.0
    }

    /// Loads the only source, or tries one after another until one can be loaded.
    ///
    /// - Throws: As ``firstSuccessOfSeveral(_:_:load:)``.
    private func firstSuccess<Value>(
        _ request: PendingRequest,
        _ context: WorkContext,
        load: (ResolvedRequest, WorkContext) async throws -> Value
    ) async throws -> (Value, SourceSubstitution?) {
        guard request.options.recovery.hasOtherSources else {
            // Before keys are made and hashed: of a list that is flung, many loads are cancelled before they begin.
            try Task.checkCancellation()
            return (try await load(resolver.resolve(request, context: context), context), nil)
        }
        return try await firstSuccessOfSeveral(request, context, load: load)
    }

    /// Tries one source after another until one can be loaded. The sources that are left are known in this call alone
    /// and shared nowhere, so none is loaded twice and no error is lost.
    ///
    /// Not inlined: a load keeps its frames until it ends, and this one has 8 kB that a load of one source does not need.
    ///
    /// - Throws: ``ImageError``; `CancellationError`, which ends the search, whichever source throws it.
    @inline(never)
    private func firstSuccessOfSeveral<Value>(
        _ request: PendingRequest,
        _ context: WorkContext,
        load: (ResolvedRequest, WorkContext) async throws -> Value
    ) async throws -> (Value, SourceSubstitution?) {
        let recovery = request.options.recovery
        var options = request.options
        options.recovery = recovery.ofOneSource
        var lowDataSource = recovery.lowDataSource
        var alternatives = recovery.alternatives[...]
        var tried: Set<Source> = [request.source]
        var failures: [SourceFailure] = []
        var next = request.with(options.recovery)
        while true {
            do {
                let context = failures.isEmpty ? context : context.ofSource(failures.count)
                let value = try await load(resolver.resolve(next, context: context), context)
                guard !failures.isEmpty else { return (value, nil) }
                let substitution = SourceSubstitution(
                    requested: request.source,
                    used: next.source,
                    failures: failures
                )
                return (value, substitution)
            } catch let error as ImageError {
                // A load that failed because it was cancelled has no alternative, whichever error it throws.
                try Task.checkCancellation()
                failures.append(SourceFailure(source: next.source, error: error))
                if case .meteredNetwork = error.reason, let source = lowDataSource {
                    lowDataSource = nil
                    tried.insert(source)
                    var metered = options
                    metered.recovery.allowsMetered = true
                    next = begin(ImageRequest(source, options: metered), inPlaceOf: request)
                    context.note(.tryingAlternative(source, after: error))
                } else if let index = alternatives.firstIndex(where: { !tried.contains($0) }) {
                    let source = alternatives[index]
                    context.note(.tryingAlternative(source, after: error))
                    tried.insert(source)
                    // Dropped by its place, so that the search ends whatever sources are equal to.
                    alternatives = alternatives[(index + 1)...]
                    next = begin(ImageRequest(source, options: options), inPlaceOf: request)
                } else {
                    throw ImageError(failures) ?? error
                }
            }
        }
    }

    private func begin(_ request: ImageRequest, inPlaceOf first: PendingRequest) -> PendingRequest {
        resolver.begin(request, begun: first.begun, within: first.enclosing)
    }
}

extension PendingRequest {
    /// Returns the same request with another policy for failures.
    fileprivate func with(_ recovery: RecoveryPolicy) -> PendingRequest {
        var request = request
        request.options.recovery = recovery
        return PendingRequest(request: request, begun: begun, resolved: resolved?.with(recovery), enclosing: enclosing)
    }
}

extension ImageError {
    /// Creates the error of a load that has tried all its sources; `nil` if there are no failures. A single failure is
    /// used as it is.
    fileprivate init?(_ failures: [SourceFailure]) {
        guard let first = failures.first else { return nil }
        self = first.error
        if failures.count > 1 { reason = .alternativesExhausted(failures) }
    }
}
