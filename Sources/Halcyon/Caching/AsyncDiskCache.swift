internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// A disk cache whose calls run on threads of their own, and whose failures are reported instead of thrown to loads.
///
/// Entries are stored and removed on one thread, so that no other change comes between the moment at which a store is
/// admitted and the store itself, and so that look-ups never wait behind changes.
final class AsyncDiskCache: Sendable {
    struct State {
        var pending = PendingDiskStores()
        /// A Boolean value that indicates whether a flush of the staged entries is planned.
        var isFlushPlanned = false
    }

    /// The bytes that may wait to be stored before loads wait for their stores.
    private static let pendingByteLimit = 64 << 20

    let cache: DiskCache
    let faults: DiskFaultReport
    private let clock: StoreClock
    /// The clock that a planned flush sleeps by.
    let flushClock: any Clock<Duration>
    let state = Lock(State())
    /// The callers that wait for stores, each of which can be cancelled at once.
    private let waits = WorkCoalescer<UInt64, Void>()
    /// The threads of look-ups. Reads of several images overlap; more threads than four only queue in the kernel.
    private let reading = WorkQueue(name: "halcyon.disk", width: 4)
    /// The thread of stores and removals, which may wait for space and for other processes: on the threads of look-ups,
    /// four that wait would block every look-up.
    let writing = WorkQueue(name: "halcyon.disk-changes", width: 1)
    /// The threads of calls that walk over all entries, which takes long.
    private let maintenance = WorkQueue(name: "halcyon.disk-upkeep", width: 2)

    init(
        configuration: DiskCache.Configuration,
        flushClock: any Clock<Duration> = ContinuousClock(),
        onFault: (@Sendable (ImageError) -> Void)?
    ) {
        let faults = DiskFaultReport(folder: configuration.folder, handler: onFault)
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

    deinit {
        // Closing the index writes what is staged, and may wait for other processes, whichever thread releases this.
        writing.schedule(priority: .normal) { [cache] in try? cache.close() }
    }

    /// The date by the disk cache's clock.
    var now: @Sendable () -> Date { clock.now }

    /// The entries that the disk cache removes from now on.
    var removals: AsyncStream<CacheRemoval<String>> { cache.removals }

    /// A Boolean value that indicates whether so many bytes wait to be stored that loads have to wait for their stores.
    var isBehind: Bool { state.withLock { $0.pending.byteCount > Self.pendingByteLimit } }

    /// The number of callers that wait for stores.
    var waitingReadCount: Int { waits.waiterCount }

    /// Returns the entry for a key; `nil` if there is none, or the disk fails. Waits for stores of it that are in
    /// progress: a load that follows another one must not find what that one replaced.
    ///
    /// - Parameter name: The name under which it is stored. Default: the key.
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

    /// Returns whether there is an entry for a key, once the stores of it have ended. Changes nothing.
    ///
    /// - Throws: `CancellationError`.
    func contains(_ key: String) async throws -> Bool {
        let priority = PriorityBox(.normal)
        try await settle(key, priority: priority)
        return try await reading.run(priority: priority) { [cache] _ in cache.contains(key) }
    }

    /// Waits for the stores under a name. A caller that needs the age of the entry it reads calls this first, asks for
    /// the age, and then reads: a store that ends between the two makes the entry newer than the age, so that nothing
    /// made of it is kept.
    ///
    /// - Throws: `CancellationError`.
    func settle(_ name: String, priority: PriorityBox) async throws {
        for (number, store) in state.withLock({ $0.pending.stores(under: name) }) {
            let context = WorkContext(priority: priority, report: { _ in })
            try await waits.value(for: number, context: context) { waiters in
                await store.priority.following(waiters.priority) { await store.task.value }
            }
        }
    }

    /// Runs a blocking function on the threads of look-ups.
    func run<Result: Sendable>(
        priority: PriorityBox,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await reading.run(priority: priority, body)
    }

    /// Runs a function that only reads, or whose changes no load depends on.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        try await perform(on: maintenance, body)
    }

    /// Runs a function on one of the queues.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func perform<Result: Sendable>(
        on queue: WorkQueue,
        _ body: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        do {
            return try await queue.run(priority: PriorityBox(.normal)) { [cache] _ in try body(cache) }
        } catch let error as DiskCacheError {
            throw failure(error)
        }
    }

    /// Returns the error of a call whose work on the disk failed.
    func failure(_ error: DiskCacheError) -> ImageError {
        ImageError(stage: .store, reason: .diskCache(error.description), source: cache.folder)
    }
}
