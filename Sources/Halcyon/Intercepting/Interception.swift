/// The default options, the interceptors and the loaders of a pipeline, which complete a request before it is loaded.
final class Interception: Sendable {
    /// An interceptor, a loader or a provider in a pipeline.
    struct Step: Sendable, Hashable {
        enum Part: Sendable, Hashable {
            case interceptor(Hook<any LoadIntercepting>)
            case loader(Hook<any SourceLoading>)
            case provider(AnyImageDataProvider)
        }

        let part: Part
        let pipeline: ObjectIdentifier
    }

    /// A loader that is asked for the provider of a source.
    struct Loader {
        let body: any SourceLoading
        let step: Step
        /// The steps in which the load was begun.
        let enclosing: [Step]

        /// Returns the provider of a source; `nil` if the loader does not load it.
        func provider(for source: Source, options: ImageOptions) -> (any ImageDataProvider)? {
            Interception.$enclosing.withValue(enclosing + [step]) { body.provider(for: source, options: options) }
        }
    }

    /// The steps that the present task is in, so that a load that is begun in one does not come to it again. Each load
    /// within another adds one, and none twice: they end. A provider of a loader that began a load of itself would wait
    /// for itself without end.
    @TaskLocal private static var enclosing: [Step] = []

    /// The steps that the present task is in.
    static var current: [Step] { enclosing }

    /// Runs work of a detached task that was begun in these steps.
    static func within<Result>(_ steps: [Step], _ body: () async throws -> Result) async throws -> Result {
        if steps.isEmpty { return try await body() }
        return try await $enclosing.withValue(steps, operation: body)
    }

    private let interceptors: [Hook<any LoadIntercepting>]
    private let loaders: [Hook<any SourceLoading>]
    private let defaults: ImageOptions

    /// A Boolean value that indicates whether the requests of the pipeline are changed, whatever their options.
    let isForAll: Bool

    init(_ configuration: ImagePipeline.Configuration) {
        interceptors = configuration.interceptors.map { Hook($0, identity: $0) }
        loaders = configuration.loaders.map { Hook($0, identity: $0) }
        defaults = configuration.defaultOptions
        isForAll = !interceptors.isEmpty || !loaders.isEmpty || defaults.isIntercepted
    }

    /// Returns the request that memory is searched for, after the first step of each interceptor. Runs code of the
    /// program: no lock may be held.
    func prepared(_ request: ImageRequest) -> PendingRequest {
        let request = request.completed(over: defaults)
        guard isForAll || request.options.isIntercepted else { return PendingRequest(request) }
        return preparedByInterceptors(request)
    }

    @inline(never)
    private func preparedByInterceptors(_ request: ImageRequest) -> PendingRequest {
        var request = request
        let enclosing = Self.enclosing
        var chain: [Hook<any LoadIntercepting>] = []
        func pass(_ interceptors: [Hook<any LoadIntercepting>]) {
            for interceptor in interceptors where !chain.contains(interceptor) {
                let step = step(of: .interceptor(interceptor))
                if enclosing.contains(step) { continue }
                chain.append(interceptor)
                request = Self.$enclosing.withValue(enclosing + [step]) {
                    interceptor.body.prepared(request).completed(over: defaults)
                }
            }
        }
        pass(interceptors)
        pass(request.options.fields.interceptorHooks)
        let loaded = loaded(request, within: enclosing)
        return PendingRequest(loaded, interceptors: chain, enclosing: enclosing)
    }

    /// Returns a request that an interceptor goes on with, as it is loaded.
    func changed(_ request: ImageRequest, of prepared: PendingRequest) -> ImageRequest {
        var request = request.completed(over: defaults)
        let delivery = prepared.request.options.delivery
        if request.options.delivery != delivery { request.options.delivery = delivery }
        return loaded(request, within: prepared.enclosing)
    }

    /// Returns a request of a load that was begun in `enclosing`, with the providers of loaders.
    private func loaded(_ request: ImageRequest, within enclosing: [Step]) -> ImageRequest {
        let loaders = (request.options.fields.loaderHooks + loaders).compactMap { loader -> Loader? in
            let step = step(of: .loader(loader))
            return enclosing.contains(step) ? nil : Loader(body: loader.body, step: step, enclosing: enclosing)
        }
        return request.loaded(by: loaders)
    }

    private func step(of part: Step.Part) -> Step {
        Step(part: part, pipeline: ObjectIdentifier(self))
    }

    /// Runs the second step of an interceptor, or what follows the last of them, for a load that was begun in
    /// `enclosing`.
    func run<Result>(
        _ interceptor: Hook<any LoadIntercepting>?,
        within enclosing: [Step],
        _ body: () async throws -> Result
    ) async throws -> Result {
        let own = interceptor.map { [step(of: .interceptor($0))] } ?? []
        return try await Self.$enclosing.withValue(enclosing + own, operation: body)
    }
}

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
