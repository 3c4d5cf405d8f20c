internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The first tier: a disk cache whose calls run on threads of their own, and whose failures are reported instead of
/// thrown to loads.
///
/// Entries are stored and removed on one thread, so that no other change comes between the moment at which a store is
/// admitted and the store itself, and so that look-ups never wait behind changes.
final class DiskTier: Sendable {
    let cache: DiskCache
    let faults: DiskFaultReport
    private let clock: StoreClock
    /// The clock by which a planned flush waits, and another attempt to make removals below.
    let flushClock: any Clock<Duration>
    /// A Boolean value that indicates whether a flush of the staged entries is planned.
    let isFlushPlanned = Lock(false)
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

    /// Returns the entry of a key, without its body; `nil` if there is none. Changes nothing.
    func row(for key: CacheKey, expired: Bool) async throws -> DiskCache.Row? {
        try await reading.run(priority: PriorityBox(.normal)) { [cache] _ in
            guard expired || cache.contains(key.text) else { return nil }
            return try? cache.rows(under: key.name).first { ExactString.hasSameBytes($0.key, key.text) }
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
    func perform<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        do {
            return try await maintenance.run(priority: PriorityBox(.normal)) { [cache] _ in try body(cache) }
        } catch let error as DiskCacheError {
            throw failure(error)
        }
    }

    /// Returns the error of a call whose work on the disk failed.
    func failure(_ error: DiskCacheError) -> ImageError {
        ImageError(stage: .store, reason: .diskCache(error.description), source: cache.folder)
    }
}

extension DiskTier: CacheTier {
    func entry(for key: CacheKey, extending: ExpirationExtension, _ call: TierCall) async -> TierAnswer {
        let answer = try? await reading.run(priority: call.priorityBox) { [cache] flag -> TierAnswer in
            try flag.check()
            guard let (found, isOver) = cache.lookUp(key.text, extending: extending) else { return .miss() }
            let entry = TierEntry(found, isOriginal: key.isOriginal)
            return isOver ? .miss(expired: entry) : .hit(entry)
        }
        return answer ?? .unavailable
    }

    func store(_ entry: TierEntry, for key: CacheKey, _ call: TierCall) async -> TierOutcome {
        let outcome = await attempt(call) { try $0.store(entry, for: key, durability: call.durability) }
        if call.durability == .none { flushSoon() }
        return outcome.map { $0 ? .done() : .declined } ?? .unavailable
    }

    func update(
        _ metadata: Data,
        _ expiration: Expiration?,
        for key: CacheKey,
        replacing version: TierVersion,
        _ call: TierCall
    ) async -> TierOutcome {
        let outcome = await attempt(call) {
            try $0.replaceMetadata(metadata, for: key.text, expiration: expiration, replacing: version)
        }
        guard let outcome else { return .unavailable }
        return outcome.map { .done(version: $0) } ?? .declined
    }

    func remove(_ scope: TierScope, _ call: TierCall) async -> TierOutcome {
        await attempt(call) { try $0.remove(scope) } == nil ? .unavailable : .done()
    }
}

extension TierEntry {
    /// Makes an entry of one on disk. The digest of the original of a result is in its metadata, which is read once, by
    /// whoever uses the result.
    init(_ entry: DiskCache.Entry, isOriginal: Bool) {
        self.init(
            body: entry.body,
            metadata: entry.metadata,
            expiration: entry.expiresAt.map(Expiration.date) ?? .never,
            storedAt: entry.storedAt,
            digest: isOriginal ? ContentDigest(entry.bodyHash).value : nil,
            version: entry.version
        )
    }
}
