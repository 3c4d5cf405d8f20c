public import FoundationEssentials
internal import Glibc
public import HalcyonStore
internal import HalcyonSystem

/// A tier of encoded images that machines share on an engine, below the disk.
///
/// It is optional: whatever fails, or takes longer than its time, is a miss or a store that was not made, and loads go on
/// without it. What another machine removes is removed here, and from the caches that follow it.
///
/// - An engine that evicts what expires (`maxmemory` with `volatile-lfu`) suits it: what is evicted is a miss. With `allkeys-lfu`
///   it may evict the log of removals too, after which all machines remove everything. Queues belong to one that evicts nothing.
/// - Entries are compared with removals at each look-up, so a removal of everything takes one step; the bytes go when they
///   expire.
public final class SharedTier: CacheTier {
    private struct State {
        /// Makes the removals of others in the caches of this process.
        var remove: (@Sendable (TierScope) async -> Void)?
        /// Removals that the others were told of, and whose rows may be left.
        var told: [(scope: TierScope, position: RemovalPosition)] = []
        var pendingByteCount = 0
        /// When look-ups found nothing, for the time that making an entry takes.
        var misses = RecentTable<String, ContinuousClock.Instant>(capacity: 4_096)
        /// Entries that somebody waits for, or that are there already.
        var wanted = RecentTable<String, Void>(capacity: 4_096)
    }

    let engine: FleetEngine
    let secret: FleetSecret
    let configuration: Configuration
    /// Names this process among those of the fleet.
    let process: String
    let removals: FleetRemovals
    private let clock: StoreClock
    private let randomUnit: @Sendable () -> Double
    private let state = Lock(State())

    /// Creates a tier on an engine.
    ///
    /// - Parameters:
    ///   - secret: The same on all machines that share images.
    ///   - configuration: Default: the defaults.
    public convenience init(_ engine: FleetEngine, secret: FleetSecret, configuration: Configuration = Configuration())
    {
        self.init(engine, secret: secret, configuration: configuration, clock: .system)
    }

    /// - Parameters:
    ///   - listens: `false` to hear nothing of removals, and ask at each look-up. Default: `true`.
    ///   - randomUnit: Returns numbers from 0, exclusive, to 1. Default: random ones.
    init(
        _ engine: FleetEngine,
        secret: FleetSecret,
        configuration: Configuration,
        clock: StoreClock,
        listens: Bool = true,
        randomUnit: @escaping @Sendable () -> Double = { 1 - Double.random(in: 0..<1) }
    ) {
        self.engine = engine
        self.secret = secret
        self.configuration = configuration
        self.clock = clock
        self.randomUnit = randomUnit
        process = String(UInt64.random(in: 1 ... .max), radix: 36)
        removals = FleetRemovals(engine, prefix: secret.prefix, process: process, clock: clock, listens: listens)
        removals.handle { [weak self] removal, isAgain in await self?.make(removal, isAgain: isAgain) ?? true }
    }

    /// Begins to hear of removals by other machines.
    ///
    /// - Parameters:
    ///   - record: Says which removals were made by earlier processes. Default: `nil`, where nothing is left of them.
    ///   - remove: Makes a removal in the caches of this process, those below included, and returns when it is made. What it asks
    ///     this tier for says that this tier has heard of it. It takes the place of an earlier one.
    func follow(since record: RemovalRecord? = nil, _ remove: @escaping @Sendable (TierScope) async -> Void) {
        state.withLock { $0.remove = remove }
        removals.follow(since: record)
    }

    /// Makes a removal of another process: first of the rows, which may still be there, as that process tells of it before it
    /// removes them, and may have ended since. What the caches found there they would take back.
    ///
    /// - Parameter isAgain: `true` if the caches have made it already: they make it again only once the rows are removed.
    /// - Returns: `false` if the engine cannot be asked.
    private func make(_ removal: FleetRemovals.Removal, isAgain: Bool) async -> Bool {
        var isMade = true
        do {
            try await removeRows(of: removal.scope, at: removal.position, TierCall())
        } catch FleetError.refused {
            // For good: no later attempt would do.
        } catch {
            if isAgain { return false }
            isMade = false
        }
        await state.withLock { $0.remove }?(removal.scope)
        return isMade
    }

    /// `true` while more waits to be stored than ``Configuration/pendingByteLimit``.
    public var isBehind: Bool { state.withLock { $0.pendingByteCount > configuration.pendingByteLimit } }

    /// The keys of an entry on the engine, which are in one slot.
    struct Place: Sendable {
        /// The rows of the name.
        let rows: String
        /// The row of the entry.
        let field: String

        init(_ key: CacheKey, _ secret: FleetSecret) {
            rows = Self.rows(of: key.name, secret)
            field = key.variant.map { secret.digest(of: $0) } ?? Self.original
        }

        static func rows(of name: String, _ secret: FleetSecret) -> String {
            "\(secret.prefix):{\(secret.digest(of: name))}"
        }

        /// The field of an original.
        static let original = "o"

        var entry: String { "\(rows):\(field)" }
        /// Held by the process that makes the entry.
        var lease: String { "\(rows):\(field):lease" }
        /// Says that the entry was made.
        var mark: String { "\(rows):\(field):made" }
    }

    /// Returns an entry of a version that nobody has removed.
    ///
    /// An entry whose expiration is near is a miss for one process, the likelier the nearer and the longer it takes to make
    /// (XFetch: Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", 2015). The others
    /// find it meanwhile.
    ///
    /// - Parameter extending: Ignored.
    public func entry(for key: CacheKey, extending: ExpirationExtension, _ call: TierCall) async -> TierAnswer {
        let place = Place(key, secret)
        let limits = EngineConnection.Limits(byteCount: configuration.entryByteLimit + 4_096)
        guard await removals.becomeCurrent(),
            let replies = try? await engine.perform(
                [
                    EngineCommand("HGET", place.rows, place.field), EngineCommand("GET", place.entry),
                    EngineCommand("PTTL", place.entry),
                ],
                key: place.rows,
                limits: limits,
                priority: call.priorityBox
            ).map({ try $0.checked() })
        else { return .unavailable }
        guard let row = replies[0].data, let found = replies[1].data.flatMap(SharedEntry.init),
            row.prefix(16) == SharedEntry.row(found.version),
            let left = replies[2].number, left > 0
        else { return miss(place) }
        let (now, remaining) = (clock.now(), Duration.milliseconds(left))
        // By the engine's clock, whatever those of the machines say.
        let arrival = now.addingTimeInterval((remaining - found.lifetime) / .seconds(1))
        guard
            !removals.isRemoved(
                key,
                digest: found.digest,
                storedAt: found.position,
                in: found.log,
                arrival: arrival
            )
        else { return miss(place) }
        if isDue(found, remaining), await beginRenewal(of: place) {
            state.withLock { state in
                state.misses.insert(.now, for: place.entry)
                state.wanted.insert((), for: place.entry)
            }
            return .miss()
        }
        return .hit(
            TierEntry(
                body: found.body,
                metadata: found.metadata,
                expiration: .date(now.addingTimeInterval(remaining / .seconds(1))),
                storedAt: arrival,
                digest: found.digest,
                version: found.version
            )
        )
    }

    /// Notes that a look-up has found nothing.
    private func miss(_ place: Place) -> TierAnswer {
        state.withLock { $0.misses.insert(.now, for: place.entry) }
        return .miss()
    }

    private func isDue(_ entry: SharedEntry, _ remaining: Duration) -> Bool {
        guard entry.makingTime > .zero else { return false }
        return remaining / .seconds(1) <= (entry.makingTime / .seconds(1)) * -naturalLogarithm(randomUnit())
    }

    /// Takes the lease of an entry, unless another process makes it already.
    private func beginRenewal(of place: Place) async -> Bool {
        let time = configuration.renewalTime.whole(.milliseconds(1))
        let reply = try? await engine.perform(
            [EngineCommand("SET", place.lease, process, "NX", "PX", "\(time)")],
            key: place.rows
        )[0].checked()
        return reply == .status("OK")
    }

    /// Stores an entry, unless it is larger than the limit, was made for the first time, or was removed by a machine of which
    /// this one has not heard yet.
    public func store(_ entry: TierEntry, for key: CacheKey, _ call: TierCall) async -> TierOutcome {
        let place = Place(key, secret)
        let byteCount = SharedEntry.headByteCount + entry.metadata.count + entry.body.count
        guard let lifetime = lifetime(entry.expiration), byteCount <= configuration.entryByteLimit else {
            return await remove(.entry(key), call) == .unavailable ? .unavailable : .declined
        }
        state.withLock { $0.pendingByteCount += byteCount }
        defer { state.withLock { $0.pendingByteCount -= byteCount } }
        // Before anything is waited for: a removal that is heard meanwhile is about the entry.
        let earlier = removals.position(for: key)
        do {
            guard await removals.becomeCurrent() else { return .unavailable }
            let (newest, log) = removals.position(for: key)
            let position = log == earlier.log ? earlier.position : newest
            guard try await isWanted(place) else { return .declined }
            let made = state.withLock { state -> ContinuousClock.Instant? in
                state.wanted.insert((), for: place.entry)
                return state.misses.removeValue(for: place.entry)
            }
            let shared = SharedEntry(
                version: .new(),
                position: position,
                log: log,
                lifetime: lifetime,
                makingTime: made.map { .now - $0 } ?? .zero,
                digest: entry.digest,
                metadata: entry.metadata,
                body: entry.body
            )
            let command = EngineCommand(
                script: SharedScripts.store,
                keys: [place.rows, place.entry],
                [
                    Data(place.field.utf8), SharedEntry.row(shared.version), Self.data(lifetime),
                    Data("\(position)".utf8), shared.encoded, Data("\(configuration.variantLimit)".utf8),
                    SharedEntry.row(entry.digest),
                ]
            )
            let reply = try await change(command, place, call)
            return reply.number == 1 ? .done(version: shared.version) : .declined
        } catch FleetError.refused(let text) where text.contains("OOM") {
            // The engine is full: what the entry was to replace must go all the same.
            return await remove(.entry(key), call) == .unavailable ? .unavailable : .declined
        } catch {
            return .unavailable
        }
    }

    /// Returns the time for which an entry is stored; `nil` if it is over.
    private func lifetime(_ expiration: Expiration?) -> Duration? {
        let longest = configuration.longestLifetime
        let seconds = min(expiration?.interval(since: clock.now()) ?? .infinity, longest / .seconds(1))
        guard seconds > 0.001 else { return nil }
        return .seconds(seconds * .random(in: 0.9...1))
    }

    private static func data(_ lifetime: Duration) -> Data { Data("\(lifetime.whole(.milliseconds(1)))".utf8) }

    /// Returns whether an entry is made for the second time, or is there.
    private func isWanted(_ place: Place) async throws -> Bool {
        if configuration.storesFirst || state.withLock({ $0.wanted.value(for: place.entry) != nil }) { return true }
        let command = EngineCommand(
            script: SharedScripts.want,
            keys: [place.rows, place.mark],
            [Data(place.field.utf8), Data("3600000".utf8)]
        )
        return try await engine.perform([command], key: place.rows, lane: .change)[0].checked().number == 1
    }

    private func change(_ command: EngineCommand, _ place: Place, _ call: TierCall) async throws -> EngineReply {
        try await engine.perform([command], key: place.rows, lane: .change, priority: call.priorityBox)[0].checked()
    }

    /// Replaces the metadata of a version.
    public func update(
        _ metadata: Data,
        _ expiration: Expiration?,
        for key: CacheKey,
        replacing version: TierVersion,
        _ call: TierCall
    ) async -> TierOutcome {
        let place = Place(key, secret)
        let limits = EngineConnection.Limits(byteCount: configuration.entryByteLimit + 4_096)
        do {
            let reply = try await engine.perform(
                [EngineCommand("GET", place.entry)],
                key: place.rows,
                lane: .change,
                limits: limits,
                priority: call.priorityBox
            )[0].checked()
            guard var entry = reply.data.flatMap(SharedEntry.init), entry.version == version else { return .declined }
            entry.metadata = metadata
            entry.version = .new()
            var time = Data()
            if let expiration {
                guard let lifetime = lifetime(expiration) else {
                    return await remove(.entry(key, version), call) == .unavailable ? .unavailable : .done()
                }
                entry.lifetime = lifetime
                time = Self.data(lifetime)
            }
            let command = EngineCommand(
                script: SharedScripts.update,
                keys: [place.rows, place.entry],
                [Data(place.field.utf8), SharedEntry.row(entry.version), time, SharedEntry.row(version), entry.encoded]
            )
            return try await change(command, place, call).number == 1 ? .done(version: entry.version) : .declined
        } catch {
            return .unavailable
        }
    }

    /// Removes entries, and tells the other machines unless it is one entry, or they know.
    public func remove(_ scope: TierScope, _ call: TierCall) async -> TierOutcome {
        if call.reason == .heard(by: ObjectIdentifier(self)) { return .done() }
        do {
            switch scope {
            case .entry(let key, let version):
                let place = Place(key, secret)
                let version = version.map { SharedEntry.row($0) } ?? Data()
                let command = EngineCommand(
                    script: SharedScripts.remove,
                    keys: [place.rows, place.entry],
                    [Data(place.field.utf8), version]
                )
                _ = try await change(command, place, call)
            case .name, .names, .everything:
                // A new removal is another one than an equal one before, also where the others cannot be told of it yet.
                if call.reason == .change || call.reason == .transfer { forgetTold(scope) }
                if call.reason == .transfer, try await !hasOutdated(scope, call) { return .done() }
                // Told first: who stores before the second step has heard of the removal, or is refused by it.
                let position = try await tell(scope, call.reason)
                try await removeRows(of: scope, at: position, call)
                state.withLock { $0.told.removeAll { $0.scope == scope && $0.position == position } }
            }
            return .done()
        } catch {
            return .unavailable
        }
    }

    /// The most removals of which it is known that the others were told.
    private static let toldLimit = 1_024

    /// Tells the other machines of a removal, unless they were told, and returns its position.
    private func tell(_ scope: TierScope, _ reason: TierCall.Reason) async throws -> RemovalPosition {
        switch reason {
        case .change, .transfer: break
        case .retry:
            let told = state.withLock { state in state.told.last { $0.scope == scope } }
            if let told { return told.position }
        case .heard:
            // Whoever has told the other tier has told this one.
            if case .name(let name, _, _) = scope { return removals.position(for: CacheKey(name: name)).position }
            return removals.heard
        }
        let position = try await removals.publish(scope)
        forgetTold(scope)
        state.withLock { state in
            state.told.append((scope, position))
            if state.told.count > Self.toldLimit { state.told.removeFirst() }
        }
        return position
    }

    private func forgetTold(_ scope: TierScope) { state.withLock { $0.told.removeAll { $0.scope == scope } } }

    /// Returns whether there are rows of other originals than a removal of a name keeps.
    private func hasOutdated(_ scope: TierScope, _ call: TierCall) async throws -> Bool {
        try await perform(SharedScripts.hasOutdated, of: scope, at: .start, call)?.number != 0
    }

    /// Removes the rows of a name; nothing of a removal of several names, which entries are compared with.
    private func removeRows(of scope: TierScope, at position: RemovalPosition, _ call: TierCall) async throws {
        _ = try await perform(SharedScripts.removeName, of: scope, at: position, call)
    }

    /// Runs a script about the rows of a name; returns `nil` without one.
    private func perform(
        _ script: String,
        of scope: TierScope,
        at position: RemovalPosition,
        _ call: TierCall
    ) async throws -> EngineReply? {
        guard case .name(let name, let kept, let since) = scope else { return nil }
        let rows = Place.rows(of: name, secret)
        // As an age, since the clocks of machine and engine may differ.
        let age = since.map { "\(clock.now().milliseconds(since: $0))" } ?? ""
        let lifetime = Self.data(max(configuration.longestLifetime, .seconds(3_600)))
        let command = EngineCommand(
            script: script,
            keys: [rows],
            [
                Data("\(position)".utf8), lifetime, Data("\(rows):".utf8), Data(Place.original.utf8), Data(age.utf8),
            ]
                + kept.map { SharedEntry.row($0) }
        )
        return try await engine.perform([command], key: rows, lane: .change, priority: call.priorityBox)[0].checked()
    }
}

/// `log`, which `FoundationEssentials` does not have.
private func naturalLogarithm(_ value: Double) -> Double { Glibc.log(value) }

extension Date {
    /// Returns the milliseconds from another date to this one, within 30,000 years.
    func milliseconds(since other: Date) -> Int64 {
        Int64(min(max(timeIntervalSince(other) * 1_000, -1e15), 1e15))
    }
}
