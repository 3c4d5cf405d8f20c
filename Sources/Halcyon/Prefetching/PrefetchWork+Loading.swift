internal import HalcyonSystem

extension PrefetchWork {
    /// The work of a prefetcher of images.
    convenience init(
        _ rest: Rest,
        of pipeline: ImagePipeline,
        to destination: ImagePrefetcher.Destination,
        maxConcurrentLoads: Int,
        priority: LoadPriority,
        collectsResults: Bool,
        onProgress: (@Sendable (PrefetchProgress) -> Void)?,
        onCompletion: (@Sendable (PrefetchResult) -> Void)?
    ) {
        let priority = PriorityBox(priority)
        let context = WorkContext(priority: priority, report: { _ in })
        self.init(
            rest,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        ) { [stages = pipeline.stages] item in
            var call = stages.interception.prepared(item.completed)
            // An image in memory needs no identities, which take longer to derive than all the rest.
            var isInMemory = destination == .memory && stages.memory.contains(call.request)
            if !isInMemory {
                call = destination == .memory ? stages.resolver.named(call) : stages.resolver.begin(call)
                isInMemory =
                    destination == .memory && call.resolved.map { stages.memory.cached(for: $0) != nil } ?? false
            }
            if isInMemory {
                try Task.checkCancellation()
                stages.activities.noteHit(of: call.request.source, call.request.options)
                return false
            }
            let load = Load(CacheEntryForm(stages, in: destination))
            let source = try await load.observed(
                call,
                begun: stages.activities.begin(call.request),
                context: context
            )
            return source != .memory && source != .disk
        }
    }
}
