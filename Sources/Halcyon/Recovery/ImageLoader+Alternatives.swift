extension ImageLoader {
    /// Loads the source, or what its options name to take its place.
    func responseOfAnySource(for request: LoadRequest, context: WorkContext) async throws -> ImageResponse {
        guard request.options.recovery.hasOtherSources else {
            return try await response(for: request, context: context)
        }
        let start = ContinuousClock.now
        var (response, substitution) = try await firstSuccess(request) {
            try await self.response(for: $0, context: context)
        }
        response.substitution = substitution
        response.timings.total = ContinuousClock.now - start
        return response
    }

    /// The encoded bytes of the source, or of what its options name to take its place.
    func originalOfAnySource(for request: LoadRequest, context: WorkContext) async throws -> Original {
        try await anySource(request) { try await original(for: $0, context: context) }
    }

    /// Does something with the source, or with the first of those that its options name to take its place.
    func anySource<Value>(
        _ request: LoadRequest,
        _ body: (LoadRequest) async throws -> Value
    ) async throws -> Value {
        guard request.options.recovery.hasOtherSources else { return try await body(request) }
        return try await firstSuccess(request, load: body).0
    }

    /// Goes from source to source until one can be loaded. Which are left is known here alone and nowhere shared, so
    /// none is loaded twice and no error is lost.
    ///
    /// - Throws: ``ImageError``; `CancellationError` ends it, whichever source it comes from.
    private func firstSuccess<Value>(
        _ request: LoadRequest,
        load: (LoadRequest) async throws -> Value
    ) async throws -> (Value, SourceSubstitution?) {
        let recovery = request.options.recovery
        var options = request.options
        options.recovery = recovery.ofOneSource
        var lowDataSource = recovery.lowDataSource
        var alternatives = recovery.alternatives[...]
        var tried: Set<Source> = [request.source]
        var failures: [SourceFailure] = []
        var next = LoadRequest(source: request.source, options: options, key: request.key)
        next.begun = request.begun
        next.permits = request.permits
        while true {
            do {
                let value = try await load(next)
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
                    next = self.request(source, options: metered)
                    next.begun = request.begun
                } else if let source = alternatives.first(where: { !tried.contains($0) }) {
                    tried.insert(source)
                    alternatives = alternatives.drop { tried.contains($0) }
                    next = self.request(source, options: options)
                    next.begun = request.begun
                } else {
                    throw ImageError(failures) ?? error
                }
            }
        }
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
