extension Load {
    /// Tries one source after another until one can be loaded. The sources that are left are known in this call alone
    /// and shared nowhere, so none is loaded twice and no error is lost.
    ///
    /// Not inlined: a load keeps its frames until it ends, and this one has 8 kB that a load of one source does not need.
    @inline(never)
    func firstSuccess(
        _ request: PendingRequest,
        _ context: WorkContext
    ) async throws -> (Form.Result, SourceSubstitution?) {
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
                let resolved = try await form.parts.resolver.resolve(next, context: context)
                let value = try await shared(resolved, context: context)
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
                    next = begin(ImageRequest(source, exactly: metered), inPlaceOf: request)
                    context.note(.tryingAlternative(source, after: error))
                } else if let index = alternatives.firstIndex(where: { !tried.contains($0) }) {
                    let source = alternatives[index]
                    context.note(.tryingAlternative(source, after: error))
                    tried.insert(source)
                    // Dropped by its place, so that the search ends whatever sources are equal to.
                    alternatives = alternatives[(index + 1)...]
                    next = begin(ImageRequest(source, exactly: options), inPlaceOf: request)
                } else {
                    throw ImageError(failures) ?? error
                }
            }
        }
    }

    private func begin(_ request: ImageRequest, inPlaceOf first: PendingRequest) -> PendingRequest {
        form.parts.resolver.begin(request, begun: first.begun, within: first.enclosing)
    }
}

extension PendingRequest {
    /// Returns the same request with another policy for failures.
    fileprivate func with(_ recovery: RecoveryPolicy) -> PendingRequest {
        var request = request
        request.options.recovery = recovery
        return PendingRequest(request, begun: begun, enclosing: enclosing, resolved: resolved?.with(recovery))
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
