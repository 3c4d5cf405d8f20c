internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// The disk cache on worker threads, with its failures kept from the loads.
final class DiskStage: Sendable {
    private struct State {
        var reported: Set<String> = []
        var pending: [UInt64: Task<Void, Never>] = [:]
        var nextID: UInt64 = 0
    }

    private let cache: DiskCache
    private let faults: FaultReport
    private let clock: StoreClock
    private let state = Lock(State())
    /// For reading. Reads of several images overlap; more threads than this only queue in the kernel.
    private let queue = WorkQueue(name: "halcyon.disk", width: 4)
    /// For changes and maintenance, which may wait for space, for each other and for other processes: with the threads of
    /// the reads, four that wait would keep every look-up waiting.
    private let changes = WorkQueue(name: "halcyon.disk-changes", width: 4)

    init(configuration: DiskCache.Configuration, onFault: (@Sendable (ImageError) -> Void)?) {
        let faults = FaultReport(folder: configuration.folder, handler: onFault)
        var configuration = configuration
        let onEvent = configuration.onEvent
        configuration.onEvent = { event in
            onEvent?(event)
            if case .failure(let error) = event { faults.report(error) }
        }
        cache = DiskCache(configuration)
        self.faults = faults
        clock = configuration.clock
    }

    /// The entry for a key. Whatever the disk does, this is an entry or none.
    ///
    /// - Throws: `CancellationError`.
    func entry(
        for key: String,
        extending: ExpirationExtension = .originalLifetime,
        priority: PriorityBox
    ) async throws -> DiskCache.Entry? {
        try await queue.run(priority: priority) { [cache] flag in
            try flag.check()
            return cache.get(key, extending: extending)
        }
    }

    /// Whether there is an entry for a key. Changes nothing.
    ///
    /// - Throws: `CancellationError`.
    func contains(_ key: String) async throws -> Bool {
        try await queue.run(priority: PriorityBox(.normal)) { [cache] _ in cache.contains(key) }
    }

    /// Runs what reads on the threads of this stage.
    func run<Result: Sendable>(
        priority: PriorityBox,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await queue.run(priority: priority, body)
    }

    /// What the disk cache removes from now on.
    var removals: AsyncStream<CacheRemoval<String>> { cache.removals }

    /// Stores an entry behind the caller's back; ``flush()`` waits for it.
    func store(
        _ key: String,
        expiration: Expiration?,
        content: @escaping @Sendable () throws -> (body: Data, metadata: Data)
    ) -> Task<Void, Never> {
        // Owned by `pending` until it ends, and made under the lock so that it cannot end before it is noted. It is not
        // cancelled: an image that was loaded is worth its place on disk, even if the caller has gone.
        let lock = state
        return lock.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let task = Task.detached { [self] in
                try? await changes.run(priority: PriorityBox(.low)) { [cache, faults] _ in
                    do {
                        let content = try content()
                        try cache.put(
                            key,
                            body: content.body,
                            metadata: content.metadata,
                            expiration: expiration,
                            durability: .none
                        )
                        // The last of those under way writes down what all of them staged.
                        if lock.withLock({ $0.pending.count <= 1 }) { try cache.flush() }
                    } catch {
                        faults.report(error)
                    }
                }
                lock.withLock { $0.pending[id] = nil }
            }
            state.pending[id] = task
            return task
        }
    }

    /// Stores other metadata beside a body, if that is still the one that was found.
    ///
    /// - Parameters:
    ///   - expiration: The entry's lifetime from now on; `nil` leaves it as it is.
    ///   - version: What was found.
    func updateMetadata(
        _ metadata: Data,
        expiration: Expiration?,
        for key: String,
        replacing version: DiskCache.Version
    ) async {
        try? await changes.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                try cache.updateMetadata(metadata, expiration: expiration, for: key, replacing: version)
            } catch {
                faults.report(error)
            }
        }
    }

    /// The date by the disk cache's clock.
    var now: @Sendable () -> Date { clock.now }

    /// Removes an entry that turned out to be useless.
    func remove(_ key: String) async {
        try? await changes.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                try cache.remove(key)
            } catch {
                faults.report(error)
            }
        }
    }

    /// Removes an entry that turned out to be useless, if it is still the one that was found.
    func remove(_ key: String, ifStill version: DiskCache.Version) async {
        try? await changes.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                try cache.remove(key, ifStill: version)
            } catch {
                faults.report(error)
            }
        }
    }

    /// Runs a function that changes or lists entries.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        do {
            return try await changes.run(priority: PriorityBox(.normal)) { [cache] _ in try body(cache) }
        } catch let error as DiskCacheError {
            throw ImageError(stage: .store, reason: .diskCache(error.description), source: cache.folder)
        }
    }

    /// Waits until everything that was stored is on disk.
    func flush() async {
        while true {
            let tasks = state.withLock { Array($0.pending.values) }
            guard !tasks.isEmpty else { break }
            for task in tasks {
                await task.value
            }
        }
        try? await changes.run(priority: PriorityBox(.high)) { [cache, faults] _ in
            do {
                try cache.flush()
            } catch {
                faults.report(error)
            }
        }
    }
}

/// Tells of the disk's failures, each once.
private final class FaultReport: Sendable {
    private let folder: String
    private let handler: (@Sendable (ImageError) -> Void)?
    private let reported = Lock<Set<String>>([])

    init(folder: String, handler: (@Sendable (ImageError) -> Void)?) {
        self.folder = folder
        self.handler = handler
    }

    func report(_ error: any Error) {
        guard let handler else { return }
        let text = (error as? DiskCacheError)?.description ?? "\(error)"
        guard reported.withLock({ $0.insert(text).inserted }) else { return }
        handler(ImageError(stage: .store, reason: .diskCache(text), source: folder))
    }
}
