internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// The disk cache on worker threads, with its failures kept from the loads.
///
/// Entries are stored and removed on one thread, so that a store which is asked for its right at the last moment cannot be
/// overtaken, and so that those who read never wait behind those who write.
final class AsyncDiskCache: Sendable {
    /// A store that goes on.
    private struct Pending {
        let name: String
        let task: Task<Void, Never>
        /// Of storing, which those who wait for it raise.
        let priority: PriorityBox
        let byteCount: Int
    }

    private struct State {
        var pending: [UInt64: Pending] = [:]
        /// The numbers of the stores under each name.
        var numbers: [String: Set<UInt64>] = [:]
        var pendingByteCount = 0
        var nextID: UInt64 = 0
        /// Whether what is staged will be written down.
        var isFlushPlanned = false

        mutating func add(_ pending: Pending, _ id: UInt64) {
            self.pending[id] = pending
            numbers[pending.name, default: []].insert(id)
            pendingByteCount += pending.byteCount
        }

        mutating func remove(_ id: UInt64) {
            guard let ended = pending.removeValue(forKey: id) else { return }
            numbers[ended.name]?.remove(id)
            if numbers[ended.name]?.isEmpty == true { numbers[ended.name] = nil }
            pendingByteCount -= ended.byteCount
        }
    }

    /// How many bytes may wait to be stored before loads wait for their stores.
    private static let pendingByteLimit = 64 << 20
    /// For how long an entry may be known to this process alone.
    private static let flushDelay = Duration.milliseconds(100)
    /// When it is tried again to write down what could not be: another process may keep the index.
    private static let retryDelay = Duration.seconds(1)

    private let cache: DiskCache
    private let faults: FaultReport
    private let clock: StoreClock
    /// What a planned flush sleeps by.
    private let flushClock: any Clock<Duration>
    private let state = Lock(State())
    /// Those who wait for stores, each of whom can leave at once.
    private let waits = WorkCoalescer<UInt64, Void>()
    /// Reads of several images overlap; more threads than this only queue in the kernel.
    private let reading = WorkQueue(name: "halcyon.disk", width: 4)
    /// For what stores and removes, which may wait for space and for other processes: with the threads of the reads, four that
    /// wait would keep every look-up waiting.
    private let writing = WorkQueue(name: "halcyon.disk-changes", width: 1)
    /// For what walks through all entries, which takes long.
    private let maintenance = WorkQueue(name: "halcyon.disk-upkeep", width: 2)

    init(
        configuration: DiskCache.Configuration,
        flushClock: any Clock<Duration> = ContinuousClock(),
        onFault: (@Sendable (ImageError) -> Void)?
    ) {
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
        self.flushClock = flushClock
    }

    /// The entry for a key. Whatever the disk does, this is an entry or none. What is being stored when it is asked for is
    /// waited for: a load that has ended must not be followed by one that finds what was there before.
    ///
    /// - Parameter name: The name under which it is stored, if that is not the key.
    /// - Throws: `CancellationError`.
    func entry(
        for key: String,
        storedAs name: String? = nil,
        extending: ExpirationExtension = .originalLifetime,
        priority: PriorityBox
    ) async throws -> DiskCache.Entry? {
        try await settle(name ?? key, priority: priority)
        return try await reading.run(priority: priority) { [cache] flag in
            try flag.check()
            return cache.entry(for: key, extending: extending)
        }
    }

    /// Those who wait to read what is being stored.
    var waitingReadCount: Int { waits.waiterCount }

    /// Waits for what is being stored under a name. Whoever has to know how old the entry is that will be read calls this
    /// first, asks for the age, and reads then: a store that ends between the two makes the entry newer than the age, so that
    /// what is made of it is not kept.
    ///
    /// - Throws: `CancellationError`.
    func settle(_ name: String, priority: PriorityBox) async throws {
        let stores = state.withLock { state in
            (state.numbers[name] ?? []).compactMap { id in state.pending[id].map { (id: id, store: $0) } }
        }
        for (id, store) in stores {
            let context = WorkContext(priority: priority, report: { _ in })
            try await waits.value(for: id, context: context) { waiters in
                await store.priority.following(waiters.priority) { await store.task.value }
            }
        }
    }

    /// Whether there is an entry for a key, once what is being stored there is stored. Changes nothing.
    ///
    /// - Throws: `CancellationError`.
    func contains(_ key: String) async throws -> Bool {
        let priority = PriorityBox(.normal)
        try await settle(key, priority: priority)
        return try await reading.run(priority: priority) { [cache] _ in cache.contains(key) }
    }

    /// Runs what blocks on the threads that read.
    func run<Result: Sendable>(
        priority: PriorityBox,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await reading.run(priority: priority, body)
    }

    /// What the disk cache removes from now on.
    var removals: AsyncStream<CacheRemoval<String>> { cache.removals }

    /// Whether so much waits to be stored that loads had better wait for it.
    var isBehind: Bool { state.withLock { $0.pendingByteCount > Self.pendingByteLimit } }

    /// Stores an entry in the background; ``flush()`` waits for it.
    ///
    /// - Parameters:
    ///   - name: The key of the entry, or what all are stored under of which `slot` picks one.
    ///   - slot: Picks the key when the entry is stored; `nil`: none, and nothing is stored. Default: the name.
    ///   - byteCount: What waits in memory meanwhile.
    ///   - priority: Of storing, and raised by those who wait for it, so that nothing else may have the same. Default: low.
    ///   - admission: Asked right before the entry is stored, after all changes before it.
    ///   - content: Makes what is stored.
    func store(
        for name: String,
        slot: (@Sendable (DiskCache) -> String?)? = nil,
        expiration: Expiration?,
        byteCount: Int,
        priority: PriorityBox = PriorityBox(.low),
        admission: StoreAdmission,
        content: @escaping @Sendable () async throws -> (body: Data, metadata: Data)
    ) -> Task<Void, Never> {
        // It is not cancelled: an image that was loaded is worth its place on disk, even if the caller has gone.
        return begin(name, byteCount: byteCount, priority: priority) { [self] in
            do {
                let content = try await content()
                try await writing.run(priority: priority) { [cache] _ in
                    let key = if let slot { slot(cache) } else { Optional(name) }
                    guard let key, admission.isGranted() else {
                        // Of several representations nobody knows which one this is newer than.
                        if slot == nil, admission.removesOlder() { try cache.remove(for: name) }
                        return
                    }
                    do {
                        try cache.store(
                            content.body,
                            for: key,
                            metadata: content.metadata,
                            expiration: expiration,
                            durability: .none
                        )
                    } catch {
                        // What was to be replaced is older than what the load brought.
                        _ = try? cache.remove(for: key)
                        throw error
                    }
                }
                flushSoon()
            } catch {
                faults.report(error)
                retrySoon()
            }
        }
    }

    /// Begins a store. It is owned by the state until it ends, and made under the lock so that it cannot end before it is
    /// noted.
    private func begin(
        _ name: String,
        byteCount: Int,
        priority: PriorityBox,
        _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let lock = state
        return lock.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let task = Task.detached {
                await work()
                lock.withLock { $0.remove(id) }
            }
            state.add(Pending(name: name, task: task, priority: priority, byteCount: byteCount), id)
            return task
        }
    }

    /// Writes down what is staged a moment later, for all stores of that moment together: a transaction for each takes a
    /// quarter of what storing an image takes.
    private func flushSoon(after delay: Duration = AsyncDiskCache.flushDelay) {
        let isPlanned = state.withLock { state in
            defer { state.isFlushPlanned = true }
            return state.isFlushPlanned
        }
        if isPlanned { return }
        // Not cancelled: it ends by itself. The disk cache writes down what is staged when it is released.
        Task.detached { [weak self, flushClock] in
            try? await flushClock.sleep(for: delay)
            await self?.flushPlanned()
        }
    }

    private func flushPlanned() async {
        state.withLock { $0.isFlushPlanned = false }
        if await !flushStaged(priority: .low) { retrySoon() }
    }

    /// Plans to write down what could not be written down and still waits.
    private func retrySoon() {
        if cache.hasWaitingEntries { flushSoon(after: Self.retryDelay) }
    }

    /// Returns whether it was possible.
    @discardableResult
    private func flushStaged(priority: LoadPriority) async -> Bool {
        let isFlushed = try? await writing.run(priority: PriorityBox(priority)) { [cache, faults] _ in
            do {
                try cache.flush()
                return true
            } catch {
                faults.report(error)
                return false
            }
        }
        return isFlushed ?? false
    }

    /// Stores other metadata beside a body, if that is still the one that was found.
    ///
    /// - Parameters:
    ///   - expiration: The entry's lifetime from now on; `nil` leaves it as it is.
    ///   - version: What was found.
    /// - Returns: What it is now; `nil` if it is no more what was found.
    func updateMetadata(
        _ metadata: Data,
        for key: String,
        expiration: Expiration?,
        replacing version: DiskCache.Version
    ) async -> DiskCache.Version? {
        let updated = try? await writing.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                return try cache.replaceMetadata(metadata, for: key, expiration: expiration, replacing: version)
            } catch {
                faults.report(error)
                return nil
            }
        }
        return updated ?? nil
    }

    /// The date by the disk cache's clock.
    var now: @Sendable () -> Date { clock.now }

    /// Removes an entry that turned out to be useless.
    ///
    /// - Parameter admission: Asked right before it is removed, after all changes before it; `nil`, the default: it is removed.
    func remove(for key: String, if admission: StoreAdmission? = nil) async {
        try? await writing.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                if admission?.isGranted() ?? true { try cache.remove(for: key) }
            } catch {
                faults.report(error)
            }
        }
    }

    /// Removes an entry that turned out to be useless, if it is still the one that was found.
    func remove(for key: String, ifStill version: DiskCache.Version) async {
        try? await writing.run(priority: PriorityBox(.normal)) { [cache, faults] _ in
            do {
                try cache.remove(for: key, ifStill: version)
            } catch {
                faults.report(error)
            }
        }
    }

    /// Runs a function that stores or removes entries, after all that do so already.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func change<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        try await perform(on: writing, body)
    }

    /// The same for a function that stores an entry under a name; who reads that waits for it.
    func change<Result: Sendable>(
        storing name: String,
        _ body: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        let result = Lock<Swift.Result<Result, any Error>?>(nil)
        let task = begin(name, byteCount: 0, priority: PriorityBox(.normal)) { [self] in
            do {
                let value = try await change(body)
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Runs a function that asks for something, or whose changes no load depends on.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        try await perform(on: maintenance, body)
    }

    private func perform<Result: Sendable>(
        on queue: WorkQueue,
        _ body: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        do {
            return try await queue.run(priority: PriorityBox(.normal)) { [cache] _ in try body(cache) }
        } catch let error as DiskCacheError {
            throw ImageError(stage: .store, reason: .diskCache(error.description), source: cache.folder)
        }
    }

    /// Waits until everything that was stored before is on disk. What is stored meanwhile is not waited for: under load there
    /// is always more.
    func flush() async {
        let stores = state.withLock { Array($0.pending.values) }
        for store in stores { store.priority.raise(to: .high) }
        for store in stores { await store.task.value }
        await flushStaged(priority: .high)
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
