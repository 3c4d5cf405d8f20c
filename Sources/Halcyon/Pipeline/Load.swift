internal import FoundationEssentials

/// The way of every request, in whatever form its result is wanted.
///
/// ```
/// request ─► prepare ─► memory ─► interceptors ─► alternatives ─► shared work: memory again ─► stored result
///                                                                 ─► original ─► decode ─► process ─► store
/// ```
///
/// The first two steps are made by ``ImagePipeline``, on the thread of the caller, which gets an image in memory without
/// waiting: ``Interception/prepared(_:)`` applies default options and the first step of each interceptor, and
/// ``MemoryStage`` looks into memory. The steps from the original on are those of the form, ``LoadForm/make(for:context:)``:
/// the first two are left out where processors may begin with an image in memory, ``MemoryStage/unprocessed(for:)``.
struct Load<Form: LoadForm>: Sendable {
    let form: Form
    /// The distance from which the result may come.
    let reach: ResolvedRequest.Reach

    /// - Parameter reach: Default: anywhere.
    init(_ form: Form, within reach: ResolvedRequest.Reach = .anywhere) {
        self.form = form
        self.reach = reach
    }

    private var parts: PipelineStages { form.parts }

    /// Returns the result of a call, whose observers are told of it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(of call: PendingRequest, begun: LoadActivities.Begun, context: WorkContext) async throws -> Form.Result
    {
        try await parts.activities.run(begun, context: context, place: { form.loadResult($0).source }) { context in
            try await result(of: call, context: context)
        }
    }

    /// Returns the result of a call: that of its interceptors, the first of which is outermost. A request that leaves the
    /// chain is loaded in place of the one of the call.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(of call: PendingRequest, context: WorkContext) async throws -> Form.Result {
        guard !call.interceptors.isEmpty else { return try await anySource(of: call, context: context) }
        let load: InterceptorChain.Loader = { request, context in
            let next = parts.resolver.begin(form.request(for: request), begun: call.begun)
            return form.loadResult(try await anySource(of: next, context: context))
        }
        let chain = InterceptorChain(call, Form.name, of: parts.interception, context: context, load: load)
        return try await form.result(of: chain.result(), to: call.request, context: context)
    }

    /// Returns the result of the source, or of the first alternative that can be loaded, each of which is a load of its
    /// own.
    private func anySource(of call: PendingRequest, context: WorkContext) async throws -> Form.Result {
        let start = ContinuousClock.now
        var result: Form.Result
        var substitution: SourceSubstitution?
        if reach == .anywhere, call.options.recovery.hasOtherSources {
            (result, substitution) = try await firstSuccess(call, context)
        } else {
            // Before keys are made and hashed: of a list that is flung, many loads are cancelled before they begin.
            try Task.checkCancellation()
            let request = try await parts.resolver.resolve(call, context: context)
            result = try await self.result(for: request.within(reach), context: context)
        }
        form.finish(&result, substitution, after: ContinuousClock.now - start)
        return result
    }

    /// Returns the result of one source; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(for request: ResolvedRequest, context: WorkContext) async throws -> Form.Result {
        let request = form.target(of: request)
        return try await form.share(request, context: context) { [form] context in
            // Another load may have finished since the caller looked into memory.
            if let result = form.remembered(for: request) {
                return try await form.complete(result, of: request, context: context)
            }
            if request.work.readsDisk { context.begin(.cache) }
            var result: Form.Result
            do {
                if let stored = try await form.stored(for: request, context: context) {
                    result = stored
                } else {
                    // Nothing is stored before the result is made: what could not be decoded replaces nothing.
                    let made = try await form.make(for: request, context: context)
                    result = await form.store(made, for: request, context)
                }
            } catch let error as ImageError {
                result = try await form.result(for: request, insteadOf: error, context: context)
            }
            return try await form.complete(result, of: request, context: context)
        }
    }
}
