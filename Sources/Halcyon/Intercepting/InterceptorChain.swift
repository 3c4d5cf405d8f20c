internal import Synchronization

/// One load on its way through the interceptors, to its end.
final class InterceptorChain: Sendable {
    /// Loads a request that leaves the chain.
    typealias Loader = @Sendable (ImageRequest, WorkContext) async throws -> LoadResult

    let form: InterceptedLoad.Form
    private let prepared: PendingRequest
    private let interception: Interception
    private let context: WorkContext
    private let load: Loader
    /// The number of requests that have left the chain.
    private let count = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)

    init(
        _ prepared: PendingRequest,
        _ form: InterceptedLoad.Form,
        of interception: Interception,
        context: WorkContext,
        load: @escaping Loader
    ) {
        self.form = form
        self.prepared = prepared
        self.interception = interception
        self.context = context
        self.load = load
    }

    var priority: LoadPriority { context.priority.value }

    /// Takes the load through all interceptors, once.
    func result() async throws -> LoadResult {
        defer { hasEnded.store(true, ordering: .releasing) }
        do {
            let result = try await result(of: prepared.request, from: 0, isChanged: false)
            // One that ignores cancellation must not deliver a late success.
            try Task.checkCancellation()
            return result
        } catch let error as ImageError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw ImageError(stage: .load, reason: .interceptor("\(error)"), source: "\(prepared.request.source)")
        }
    }

    /// Takes a request to an interceptor, and the ones after it.
    func result(of request: ImageRequest, from index: Int, isChanged: Bool) async throws -> LoadResult {
        try Task.checkCancellation()
        if hasEnded.load(ordering: .acquiring) { throw CancellationError() }
        let request = isChanged ? interception.changed(request, of: prepared) : request
        guard index < prepared.interceptors.count else {
            let earlier = count.wrappingAdd(1, ordering: .relaxed).oldValue
            // The progress of a later request follows that of an earlier one.
            let context = context.ofRequest(request, earlier)
            return try await interception.run(nil, within: prepared.enclosing) { try await load(request, context) }
        }
        let interceptor = prepared.interceptors[index]
        let intercepted = InterceptedLoad(request, in: self, at: index)
        return try await interception.run(interceptor, within: prepared.enclosing) {
            try await interceptor.body.result(of: intercepted)
        }
    }
}
