internal import HalcyonSystem

extension PrefetchWork {
    /// Brings an image into the cache; returns whether it had to be loaded.
    func load(_ item: PrefetchItem) async throws -> Bool {
        var call = stages.interception.prepared(item.completed)
        // An image in memory needs no identities, which take longer to derive than all the rest.
        var isInMemory = destination == .memory && stages.memory.contains(call.request)
        if !isInMemory {
            call = destination == .memory ? stages.resolver.named(call) : stages.resolver.begin(call)
            isInMemory = destination == .memory && call.resolved.map { stages.memory.cached(for: $0) != nil } ?? false
        }
        if isInMemory {
            try Task.checkCancellation()
            stages.activities.noteHit(of: call.request.source, call.request.options)
            return false
        }
        let load = Load(CacheEntryForm(stages, in: destination))
        let context = WorkContext(priority: priority, report: { _ in })
        let source = try await load.observed(call, begun: stages.activities.begin(call.request), context: context)
        return source != .memory && source != .disk
    }
}
