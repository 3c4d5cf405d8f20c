internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The tiers of encoded images of one cache, in the order in which they are asked.
///
/// Changes on disk are made on its one thread, and changes below one after the other for each name. So whether a store
/// is admitted and the store itself are one step: a removal that was asked for meanwhile comes after both.
final class CacheTiers: Sendable {
    /// The bytes that may wait to be stored: on disk before loads wait for their stores, and below before nothing more is
    /// stored there.
    static let pendingByteLimit = 64 << 20

    /// The first tier.
    let disk: DiskTier
    /// All tiers.
    let all: [any CacheTier]
    /// The numbers of the tiers that are stored in after the disk.
    let below: [Int]
    /// The removals that each tier could not make.
    let failed: [FailedRemovals]
    let pending = Lock(PendingStores())
    /// The numbers of the tiers whose failed removals are to be tried again.
    let retrying = Lock<Set<Int>>([])
    /// The callers that wait for changes, each of which can be cancelled at once.
    private let waits = WorkCoalescer<UInt64, Void>()

    init(disk: DiskTier, _ lower: [any CacheTier]) {
        self.disk = disk
        all = [disk] + lower
        below = lower.indices.filter { !lower[$0].isReadOnly }.map { $0 + 1 }
        failed = all.map { _ in FailedRemovals(now: disk.now) }
    }

    /// The place of an entry that was found.
    struct Location: Hashable, Sendable {
        let tier: Int
        let key: CacheKey
        var version: TierVersion?
    }

    /// A Boolean value that indicates whether so many bytes wait to be stored that loads have to wait for their stores.
    var isBehind: Bool { pending.withLock { $0.byteCount.onDisk > Self.pendingByteLimit } }

    /// The number of callers that wait for changes.
    var waitingReadCount: Int { waits.waiterCount }

    /// Returns the first entry of a key that can be used.
    ///
    /// - Parameters:
    ///   - skipped: The number of tiers, from the first on, that are not asked. Default: none.
    ///   - expired: Called with entries whose time is over. Default: they count as none.
    ///   - use: Returns what is made of an entry; `nil` if it cannot be used, so that the next tier is asked.
    func first<Value: Sendable>(
        for key: CacheKey,
        skipping skipped: Int = 0,
        extending: ExpirationExtension,
        priority: PriorityBox,
        expired: (TierEntry) -> Void = { _ in },
        _ use: (TierEntry, Location) async throws -> Value?
    ) async throws -> Value? {
        for tier in all.indices.dropFirst(skipped) {
            let answer = try await answer(for: key, in: tier, extending: extending, priority: priority)
            if case .miss(let entry?) = answer { expired(entry) }
            guard case .hit(let entry) = answer else { continue }
            let place = Location(tier: tier, key: key, version: entry.version)
            if let value = try await use(entry, place) { return value }
        }
        return nil
    }

    /// Returns what a tier has for a key. Waits for changes of it that are in progress: a load that follows another one must
    /// not find what that one replaced.
    func answer(
        for key: CacheKey,
        in tier: Int,
        extending: ExpirationExtension,
        priority: PriorityBox
    ) async throws -> TierAnswer {
        try await settle(key, in: tier, priority: priority)
        let answer = await all[tier].entry(for: key, extending: extending, TierCall(priority))
        try Task.checkCancellation()
        guard case .hit(let entry) = answer else { return answer }
        if entry.expiration?.isOver(at: disk.now()) == true { return .miss(expired: entry) }
        let isHidden = failed[tier].hide(
            key,
            version: entry.version,
            storedAt: entry.storedAt,
            digest: EntryContent(entry, at: key).digest
        )
        guard !isHidden else { return .miss() }
        // The disk has checked its bodies.
        let isDamaged =
            tier > 0 && key.isOriginal && entry.digest.map { $0 != ContentDigest(of: entry.body).value } ?? false
        return isDamaged ? .miss() : answer
    }

    /// Returns the content of the entry that a tier has for a key; `nil` if it has none. Waits for no store on disk in
    /// progress: the order knows of its content.
    func content(
        _ key: CacheKey,
        in tier: Int,
        expired: Bool = false
    ) async -> (content: EntryContent, place: Location)? {
        if tier == 0 {
            guard let row = try? await disk.row(for: key, expired: expired) else { return nil }
            let (content, version) = (EntryContent(row), row.version)
            let isHidden = failed[0].hide(key, version: version, storedAt: row.storedAt, digest: content.digest)
            return isHidden ? nil : (content, Location(tier: 0, key: key, version: version))
        }
        let found: TierEntry?
        switch try? await answer(for: key, in: tier, extending: .none, priority: PriorityBox(.normal)) {
        case .hit(let entry): found = entry
        case .miss(let entry): found = expired ? entry : nil
        case .unavailable, nil: found = nil
        }
        return found.map { (EntryContent($0, at: key), Location(tier: tier, key: key, version: $0.version)) }
    }

    /// Waits for the changes in a tier that a look-up of a key has to see.
    func settle(_ key: CacheKey, in tier: Int, priority: PriorityBox) async throws {
        for (number, change) in pending.withLock({ $0.changes(of: key, in: tier) }) {
            let context = WorkContext(priority: priority, report: { _ in })
            try await waits.value(for: number, context: context) { waiters in
                await change.priority.following(waiters.priority) { await change.task.value }
            }
        }
    }

    /// Waits until the stores of an entry that were begun are made, in all tiers.
    func settle(_ key: CacheKey) async {
        // A store on disk begins those below.
        for tier in all.indices { try? await settle(key, in: tier, priority: PriorityBox(.low)) }
    }

    /// Waits until everything that was stored before is in its tier, also in a task that was cancelled. Later stores are
    /// not waited for: under load there are always more.
    func flush() async {
        let call = TierCall(priority: .high)
        let changes = pending.withLock { $0.all }
        for change in changes { change.priority.raise(to: .high) }
        for change in changes { await change.task.value }
        // Stores on disk have begun others below.
        for change in pending.withLock({ $0.all }) where change.tier > 0 { await change.task.value }
        for tier in all { _ = await tier.flush(call) }
    }
}
