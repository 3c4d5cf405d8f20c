internal import FoundationEssentials

/// The way of every request, in whatever form its result is wanted.
///
/// ```
/// prepare ─► memory ─► observers ─► interceptors ─► one source or alternatives ─► resolve ─► shared work
///
/// shared work: memory again ─► stored result ─► another process ─► original ─► decode ─► process ─► encode ─► store
///                                    └───────────────────────── error ────────────────────────┴─► fallback
/// ```
///
/// - *prepare* completes the options and takes the first step of each interceptor, ``Interception/prepared(_:)``; *memory*
///   (``MemoryStage``) answers without waiting. Both come before a load, on the thread of the caller. Bytes, and what is
///   prefetched to the disk, have no look into memory. Previews of an image begin with *observers*, and have no
///   interceptors; an ``ImageCache`` begins with *shared work*.
/// - *resolve* (``RequestResolver``) derives the keys, and refuses sources that are not allowed and options that contradict
///   each other. Each alternative is a load of its own from here on.
/// - *shared work* is done once for equal requests for images or encoded images. A request whose result must not come from
///   anywhere (``ResolvedRequest/Reach``) shares none.
/// - *another process* of a fleet may make the result, or transfer the original, of what is stored: ``WorkSharing``.
/// - *original*, *decode*, *process* and *encode* are those of the form, ``LoadForm/make(for:context:)``. Bytes end with
///   *original*, images with *process*. ``OriginalStage`` looks into the tiers of the cache as their server allows, then
///   asks the source; retries, circuit breakers, the memory of failures and the check for metered networks are there, in
///   ``Recovery``. It is taken again where ``DecodingStage`` finds it damaged. Both are left out where processors may
///   begin with an image in memory, ``MemoryStage/unprocessed(for:)``, and where an encoded image is made of a result that a
///   cache has. Each is shared with loads whose results differ: ``PipelineStages/pixels(for:context:)``.
/// - *store* is ``LoadForm/store(_:for:_:)``: memory, then original and result in the tiers, unless something newer is there.
/// - *fallback*, ``LoadForm/fallback(for:after:context:)``, is a result that is no longer fresh, or a substitute.
struct Load<Form: LoadForm>: Sendable {
    let form: Form
    /// The distance from which the result may come.
    let reach: ResolvedRequest.Reach

    init(_ form: Form, within reach: ResolvedRequest.Reach = .anywhere) {
        self.form = form
        self.reach = reach
    }

    var parts: PipelineStages { form.parts }

    /// Returns the result of a call, whose observers are told of it.
    func observed(_ call: PendingRequest, begun: LoadActivities.Begun, context: WorkContext) async throws -> Form.Result
    {
        try await parts.activities.run(begun, context: context, place: { form.loadResult($0).source }) { context in
            try await intercepted(call, context: context)
        }
    }

    /// Returns the result of a call: that of its interceptors, the first of which is outermost. A request that leaves the
    /// chain is loaded in place of the one of the call.
    func intercepted(_ call: PendingRequest, context: WorkContext) async throws -> Form.Result {
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
            result = try await shared(request.within(reach), context: context)
        }
        form.record(ContinuousClock.now - start, substitution, in: &result)
        return result
    }

    /// Returns the result of one source; equal requests share it.
    func shared(_ request: ResolvedRequest, context: WorkContext) async throws -> Form.Result {
        let request = form.target(of: request)
        return try await form.share(request, context: context) { [form] context in
            // Another load may have finished since the caller looked into memory.
            if let found = form.remembered(for: request),
                let result = try await form.withOriginalData(found, of: request, context: context)
            {
                return result
            }
            if request.work.readsDisk { context.begin(.cache) }
            let result: Form.Result
            do {
                if let found = try await form.stored(for: request, context: context),
                    let result = try await form.withOriginalData(found, of: request, context: context)
                {
                    return result
                }
                result = try await made(for: request, context: context)
            } catch let error as ImageError {
                result = try await form.fallback(for: request, after: error, context: context)
            }
            return try await form.withOriginalData(result, of: request, context: context) ?? result
        }
    }
}
