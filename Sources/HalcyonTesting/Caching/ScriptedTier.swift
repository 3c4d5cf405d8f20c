public import FoundationEssentials
public import HalcyonStore
internal import HalcyonSystem

/// A tier in memory that a test makes slow, full, unavailable or forgetful.
public final class ScriptedTier: CacheTier {
    /// A function of a tier.
    public enum Function: Hashable, Sendable, CaseIterable {
        /// The names are those of the functions of `CacheTier`.
        case entry, store, update, remove, flush
    }

    /// A call that was made.
    public struct Call: Sendable {
        /// The function.
        public let function: Function
        /// The key; `nil` for a removal and a flush.
        public let key: CacheKey?
        /// The entries that a removal is about; `nil` for other calls.
        public let scope: TierScope?
        /// The priority when the call was made.
        public let priority: LoadPriority
    }

    private struct State {
        var entries: [CacheKey: TierEntry] = [:]
        var lastVersion: Int64 = 0
        var calls: [Call] = []
        var held: [Function: Gate] = [:]
        var unavailable: Set<Function> = []
        var byteLimit = Int.max
        var isForgetful = false
        var isBehind = false
    }

    /// `true` if the tier is only read, apart from ``put(_:for:)``.
    public let isReadOnly: Bool
    private let clock: StoreClock
    private let state = Lock(State())

    /// Creates an empty tier.
    ///
    /// - Parameters:
    ///   - isReadOnly: `true` for one that is only read. Default: `false`.
    ///   - clock: Tells the times of arrival, and what has expired. Default: the system's.
    public init(isReadOnly: Bool = false, clock: StoreClock = .system) {
        self.isReadOnly = isReadOnly
        self.clock = clock
    }

    /// The calls that were made, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The functions that are unavailable. Default: none.
    public var unavailable: Set<Function> {
        get { state.withLock { $0.unavailable } }
        set { state.withLock { $0.unavailable = newValue } }
    }

    /// The most bytes of bodies; a store beyond is declined. Default: no limit.
    public var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set { state.withLock { $0.byteLimit = newValue } }
    }

    /// `true` if what is stored is lost at once. Default: `false`.
    public var isForgetful: Bool {
        get { state.withLock { $0.isForgetful } }
        set { state.withLock { $0.isForgetful = newValue } }
    }

    /// `true` if the tier cannot keep up with stores. Default: `false`.
    public var isBehind: Bool {
        get { state.withLock { $0.isBehind } }
        set { state.withLock { $0.isBehind = newValue } }
    }

    /// The keys of the entries.
    public var keys: Set<CacheKey> { state.withLock { Set($0.entries.keys) } }

    /// Makes calls of a function wait from now on, until the gate is opened.
    public func hold(_ function: Function) -> Gate {
        let gate = Gate()
        state.withLock { $0.held[function] = gate }
        return gate
    }

    /// Returns the entry of a key, whatever the tier answers; `nil` if there is none.
    public func present(_ key: CacheKey) -> TierEntry? { state.withLock { $0.entries[key] } }

    /// Puts an entry under a key, as another process would.
    public func put(_ entry: TierEntry, for key: CacheKey) {
        state.withLock { put(entry, for: key, &$0) }
    }

    /// Stores an entry with a new version, the time, and a fixed date of expiration.
    private func put(_ entry: TierEntry, for key: CacheKey, _ state: inout State) {
        let now = clock.now()
        state.lastVersion += 1
        var entry = entry
        entry.version = TierVersion(state.lastVersion)
        entry.storedAt = entry.storedAt ?? now
        entry.expiration = entry.expiration.map { fixed($0, at: now) }
        state.entries[key] = entry
    }

    private func fixed(_ expiration: Expiration, at now: Date) -> Expiration {
        let interval = expiration.interval(since: now)
        return interval < .infinity ? .date(now.addingTimeInterval(interval)) : .never
    }

    /// Records a call, and waits as long as it is held; returns whether the tier is available.
    private func begin(
        _ function: Function,
        _ call: TierCall,
        key: CacheKey? = nil,
        scope: TierScope? = nil
    ) async -> Bool {
        let gate = state.withLock { state in
            state.calls.append(Call(function: function, key: key, scope: scope, priority: call.priority))
            return state.held[function]
        }
        await gate?.wait()
        return state.withLock { !$0.unavailable.contains(function) }
    }

    /// Returns whether there is an original of a name. Counts as no call.
    public func mayHave(_ name: String) -> Bool { present(CacheKey(name: name)) != nil }

    /// Returns the entry of a key.
    public func entry(for key: CacheKey, extending: ExpirationExtension, _ call: TierCall) async -> TierAnswer {
        guard await begin(.entry, call, key: key) else { return .unavailable }
        let now = clock.now()
        return state.withLock { state in
            guard let entry = state.entries[key] else { return .miss() }
            return entry.expiration?.isOver(at: now) == true ? .miss(expired: entry) : .hit(entry)
        }
    }

    /// Stores an entry, unless the tier is full or forgetful.
    public func store(_ entry: TierEntry, for key: CacheKey, _ call: TierCall) async -> TierOutcome {
        guard await begin(.store, call, key: key) else { return .unavailable }
        if isReadOnly { return .declined }
        let now = clock.now()
        return state.withLock { state in
            state.entries[key] = nil
            let byteCount = state.entries.values.reduce(entry.body.count) { $0 + $1.body.count }
            guard byteCount <= state.byteLimit, entry.expiration?.isOver(at: now) != true else { return .declined }
            if state.isForgetful { return .done() }
            put(entry, for: key, &state)
            return .done(version: TierVersion(state.lastVersion))
        }
    }

    /// Replaces the metadata of a version.
    public func update(
        _ metadata: Data,
        _ expiration: Expiration?,
        for key: CacheKey,
        replacing version: TierVersion,
        _ call: TierCall
    ) async -> TierOutcome {
        guard await begin(.update, call, key: key) else { return .unavailable }
        if isReadOnly { return .declined }
        let now = clock.now()
        return state.withLock { state in
            guard var entry = state.entries[key], entry.version == version else { return .declined }
            state.lastVersion += 1
            entry.metadata = metadata
            entry.version = TierVersion(state.lastVersion)
            if let expiration { entry.expiration = fixed(expiration, at: now) }
            state.entries[key] = entry
            return .done(version: entry.version)
        }
    }

    /// Removes entries.
    public func remove(_ scope: TierScope, _ call: TierCall) async -> TierOutcome {
        guard await begin(.remove, call, scope: scope) else { return .unavailable }
        if isReadOnly { return .declined }
        state.withLock { state in
            state.entries = state.entries.filter { key, entry in
                !scope.covers(key, version: entry.version, digest: entry.digest, storedAt: entry.storedAt)
            }
        }
        return .done()
    }

    /// Does nothing.
    public func flush(_ call: TierCall) async -> TierOutcome {
        await begin(.flush, call) ? .done() : .unavailable
    }
}
