internal import Halcyon
internal import HalcyonSystem

extension Player {
    /// Begins to prefetch resources, and checks the counts at the end.
    func prefetch(_ resources: [Int], toDisk: Bool, _ variant: Variant, isSequence: Bool = false) {
        let id = model.begin(Set(resources))
        let completions = Lock(0)
        let onCompletion: @Sendable (PrefetchResult) -> Void = { [model] _ in
            let count = completions.withLock { count in
                count += 1
                return count
            }
            if count > 1 { model.report(.result, "a prefetcher told its completion \(count) times") }
        }
        let options = options(of: Call(variant: variant))
        let requests = resources.map { ImageRequest(SearchOrigin.url($0), exactly: options) }
        let prefetcher =
            isSequence
            ? ImagePrefetcher(
                requests: requests,
                pipeline: pipeline,
                destination: toDisk ? .disk : .memory,
                maxConcurrentLoads: 2,
                collectsResults: true,
                onCompletion: onCompletion
            )
            : ImagePrefetcher(
                requests: requests,
                pipeline: pipeline,
                destination: toDisk ? .disk : .memory,
                maxConcurrentLoads: 2,
                onCompletion: onCompletion
            )
        prefetcher.start()
        let isStopped = Lock(false)
        let watcher = Task { [model] in
            let result = await prefetcher.run()
            let count = result.completed.count + result.skipped.count + result.failed.count
            // What was not yet taken from a sequence has no result.
            let isCut = isSequence && isStopped.withLock { $0 }
            if isCut ? count > Set(resources).count : count != Set(resources).count {
                model.report(.result, "a prefetcher of \(Set(resources).count) images ended with \(count) results")
            }
            model.end(id)
        }
        append(
            Running(id: id, watcher: watcher) {
                isStopped.withLock { $0 = true }
                prefetcher.stop()
            } prioritize: {
                prefetcher.priority = $0
            } setWidth: {
                prefetcher.maxConcurrentLoads = $0
            }
        )
    }
}
