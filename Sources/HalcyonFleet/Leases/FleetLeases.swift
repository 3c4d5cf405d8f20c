internal import FoundationEssentials
public import HalcyonStore
internal import HalcyonSystem

/// Lets one machine of a fleet make an image, or transfer an original, while the others wait for it.
///
/// The machine that makes something holds a lease on the engine, and renews it while it works: one that is gone is followed
/// by another after the lease. The others hear of the end over the engine's channel, find the result in the shared tier, and
/// wait no longer than the lease. The lease saves work and decides nothing: where the engine fails, or a result is not stored,
/// each machine makes its own, and the first that is stored stays as good as the next.
///
/// What is in a tier already is not waited for, be it stale: the machine that renews it holds the lease, and the others use
/// what is there (see ``SharedTier``).
public final class FleetLeases: Sendable {
    /// How the work of another machine ended.
    enum Ending: Sendable {
        case stored
        /// It failed, or its result is not one that is stored.
        case nothing
        /// Nothing was heard: it may be gone.
        case unknown
    }

    private struct State {
        var waiters: [String: [Int: AsyncStream<Ending>.Continuation]] = [:]
        var lastID = 0
        /// Leases that are held until what was made is stored.
        var endings: [Int: Task<Void, Never>] = [:]
    }

    /// How long leases are held.
    public struct Configuration: Sendable {
        /// The time after which a machine that is gone is followed by another; renewed at a third. Default: 1.5 s.
        public var lease: Duration = .milliseconds(1_500)
        /// The longest wait for other machines; then this one makes its own. Default: 30 s.
        public var longestWait: Duration = .seconds(30)

        /// The defaults.
        public init() {}
    }

    private let tier: SharedTier
    private let engine: FleetEngine
    private let configuration: Configuration
    private let channel: String
    private let clock: any Clock<Duration>
    private let state = Lock(State())
    private let listener = Lock<Int?>(nil)

    /// Creates the leases of a process.
    ///
    /// - Parameters:
    ///   - tier: The tier in which machines find what others have made.
    ///   - engine: The engine of the leases; one that evicts may drop them. Default: that of the tier.
    ///   - configuration: Default: the defaults.
    ///   - clock: Measures waits and renewals. Default: the continuous clock.
    public init(
        of tier: SharedTier,
        on engine: FleetEngine? = nil,
        configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.tier = tier
        self.engine = engine ?? tier.engine
        self.configuration = configuration
        self.clock = clock
        channel = "\(tier.secret.prefix):made"
        let id = self.engine.channel.addListener(of: channel) { [weak self] event in
            switch event {
            case .message(let data): self?.hear(data)
            // What was told in between was not heard.
            case .connected, .lost: self?.wakeAll()
            }
        }
        listener.withLock { $0 = id }
    }

    deinit {
        if let id = listener.withLock({ $0 }) { engine.channel.removeListener(id, of: channel) }
        let endings = state.withLock { $0.endings.values }
        for ending in endings { ending.cancel() }
    }

    /// The number of callers that wait for other machines.
    var waiterCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    /// Returns a value that one machine of the fleet makes.
    ///
    /// - Parameters:
    ///   - key: The entry that is made.
    ///   - stored: Returns the value from the tiers; `nil` if they have none that may be used. Called after another machine has
    ///     made it.
    ///   - make: Makes the value, and begins to store it.
    ///   - settle: Waits until it is stored. Called after `make`, in the background.
    /// - Throws: The errors of `stored` and `make`; `CancellationError`.
    public func value<Value: Sendable>(
        for key: CacheKey,
        stored: () async throws -> Value?,
        make: () async throws -> Value,
        settle: @escaping @Sendable () async -> Void
    ) async throws -> Value {
        let place = SharedTier.Place(key, tier.secret)
        let deadline = ContinuousClock.now + configuration.longestWait
        var mayLook = true
        var hasMissed = false
        while ContinuousClock.now < deadline {
            // Before the question, so that no ending is missed.
            let (id, endings) = register(place.lease)
            defer { unregister(id, of: place.lease) }
            let token = "\(tier.process).\(id)"
            switch await take(place, token, mayLook: mayLook) {
            case .taken:
                unregister(id, of: place.lease)
                let mayBeStored = hasMissed
                return try await hold(
                    place,
                    token,
                    {
                        // Another one of those that waited may have made it since this one looked.
                        if mayBeStored, let value = try await stored() { return value }
                        return try await make()
                    },
                    settle
                )
            case .stored:
                // Since this machine has looked.
                if let value = try await stored() { return value }
                mayLook = false
            case .held(let left):
                switch await ending(endings, within: left) {
                case .stored:
                    if let value = try await stored() { return value }
                    // What is made for the first time is not stored where nobody waited for it yet. One of those that wait now
                    // makes it anew for the others; what cannot be stored at all, such as a large image, each makes for itself.
                    if hasMissed { return try await make() }
                    hasMissed = true
                    mayLook = false
                case .nothing:
                    return try await make()
                case .unknown:
                    try Task.checkCancellation()
                }
            case .unavailable:
                // The engine may have given the lease all the same.
                end { [weak self] in await self?.release(place, token, isStored: false) }
                try Task.checkCancellation()
                return try await make()
            }
        }
        return try await make()
    }

    private enum Answer {
        case taken
        case stored
        /// Another machine has it for this time at the most, unless it is renewed.
        case held(Duration)
        case unavailable
    }

    /// Takes a lease that nobody has, that this process has taken to renew an entry, or that a call took which was sent again.
    /// Who finds it taken leaves a mark, so that what is made is stored, though it is made for the first time.
    ///
    /// KEYS: lease, mark. ARGV: token, lease in ms, "1" to hear of an entry that was stored a moment ago, token of renewals.
    private static let takeScript = """
        local holder = redis.call('GET', KEYS[1])
        if holder == 'stored' and ARGV[3] == '1' then return 'stored' end
        if not holder or holder == 'stored' or holder == ARGV[4] or holder == ARGV[1] then
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return 'taken'
        end
        redis.call('SET', KEYS[2], '1', 'PX', 3600000)
        return redis.call('PTTL', KEYS[1])
        """

    private func take(_ place: SharedTier.Place, _ token: String, mayLook: Bool) async -> Answer {
        let values = [token, "\(configuration.lease.whole(.milliseconds(1)))", mayLook ? "1" : "0", tier.process]
        let command = EngineCommand(
            script: Self.takeScript,
            keys: [place.lease, place.mark],
            values.map { Data($0.utf8) }
        )
        guard let reply = try? await engine.perform([command], key: place.rows)[0].checked() else {
            return .unavailable
        }
        switch reply.text {
        case "taken": return .taken
        case "stored": return .stored
        default: return reply.number.map { .held(.milliseconds(max($0, 0))) } ?? .unavailable
        }
    }

    /// Makes a value under a lease.
    private func hold<Value: Sendable>(
        _ place: SharedTier.Place,
        _ token: String,
        _ make: () async throws -> Value,
        _ settle: @escaping @Sendable () async -> Void
    ) async throws -> Value {
        let renewal = Task { [weak self, clock, lease = configuration.lease] in
            while !Task.isCancelled {
                try? await clock.sleep(upTo: lease / 3)
                guard !Task.isCancelled, let self else { return }
                await renew(place, token)
            }
        }
        let value: Value
        do {
            value = try await make()
        } catch {
            renewal.cancel()
            end { [weak self] in await self?.release(place, token, isStored: false) }
            throw error
        }
        end { [weak self] in
            await settle()
            renewal.cancel()
            await self?.release(place, token, isStored: true)
        }
        return value
    }

    /// Runs the end of a lease in the background; the caller has its result, or its error, already.
    private func end(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            state.endings[id] = Task { [weak self] in
                await body()
                self?.state.withLock { $0.endings[id] = nil }
            }
        }
    }

    /// KEYS: lease. ARGV: token, lease in ms.
    private static let renewScript = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
        return 0
        """

    private func renew(_ place: SharedTier.Place, _ token: String) async {
        let values = [token, "\(configuration.lease.whole(.milliseconds(1)))"].map { Data($0.utf8) }
        let command = EngineCommand(script: Self.renewScript, keys: [place.lease], values)
        _ = try? await engine.perform([command], key: place.rows, lane: .change)
    }

    /// Ends a lease, if it is still this process's, and tells those that wait. For a second it says that the entry is there, to
    /// those that have looked for it just before.
    ///
    /// KEYS: lease. ARGV: token, "1" if something was stored, channel, message.
    private static let releaseScript = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if ARGV[2] == '1' then
            redis.call('SET', KEYS[1], 'stored', 'PX', 1000)
        else
            redis.call('DEL', KEYS[1])
        end
        redis.call('PUBLISH', ARGV[3], ARGV[4])
        return 1
        """

    private func release(_ place: SharedTier.Place, _ token: String, isStored: Bool) async {
        let values = [token, isStored ? "1" : "0", channel, (isStored ? "+" : "-") + place.lease]
        let command = EngineCommand(script: Self.releaseScript, keys: [place.lease], values.map { Data($0.utf8) })
        _ = try? await engine.perform([command], key: place.rows, lane: .change)
    }

    private func register(_ lease: String) -> (Int, AsyncStream<Ending>) {
        let (stream, continuation) = AsyncStream<Ending>.makeStream(bufferingPolicy: .bufferingNewest(4))
        let id = state.withLock { state in
            state.lastID += 1
            state.waiters[lease, default: [:]][state.lastID] = continuation
            return state.lastID
        }
        return (id, stream)
    }

    private func unregister(_ id: Int, of lease: String) {
        let continuation = state.withLock { state in
            let continuation = state.waiters[lease]?.removeValue(forKey: id)
            if state.waiters[lease]?.isEmpty == true { state.waiters[lease] = nil }
            return continuation
        }
        continuation?.finish()
    }

    private func hear(_ message: Data) {
        let text = String(decoding: message, as: UTF8.self)
        let ending: Ending = text.hasPrefix("+") ? .stored : .nothing
        let waiters = state.withLock { Array(($0.waiters[String(text.dropFirst())] ?? [:]).values) }
        for waiter in waiters { waiter.yield(ending) }
    }

    private func wakeAll() {
        let waiters = state.withLock { $0.waiters.values.flatMap(\.values) }
        for waiter in waiters { waiter.yield(.unknown) }
    }

    /// The time between two questions while nothing is heard.
    private static let pollInterval = Duration.milliseconds(100)

    /// Waits for the end of another machine's work.
    private func ending(_ endings: AsyncStream<Ending>, within left: Duration) async -> Ending {
        let limit = engine.channel.isConnected ? left + .milliseconds(5) : min(left, Self.pollInterval)
        return await withTaskGroup(of: Ending.self) { [clock] group in
            group.addTask {
                for await ending in endings { return ending }
                return .unknown
            }
            group.addTask {
                try? await clock.sleep(upTo: limit)
                return .unknown
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unknown
        }
    }
}
