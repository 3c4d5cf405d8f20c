internal import FoundationEssentials
internal import HalcyonSystem

/// A queue of images that the machines of a fleet load, on an engine that does not evict.
///
/// A job is done by one machine, as far as machines stay: one that is gone in the middle is followed by another, and what both
/// have done counts once. The result is written before the job is noted as done, so that a job that is done has its result.
/// The queue lives on the engine: machines come, go and start again, and go on where it stands.
///
/// ```swift
/// let queue = PrefetchQueue(try FleetEngine("redis://queue.example"), name: "thumbnails")
/// try await queue.add(sources.map { PrefetchJob(source: $0) })
/// let summary = try await queue.work(concurrency: 8) { job in … }
/// ```
public final class PrefetchQueue: Sendable {
    /// The bounds and times of a queue, the same on all machines.
    public struct Configuration: Sendable {
        /// The most jobs that wait or are worked on. Default: 1,000,000.
        public var limit = 1_000_000
        /// The time without a sign of a worker after which another takes its jobs, and before the next attempt of one that
        /// has failed. Default: 30 s.
        public var idleTime: Duration = .seconds(30)
        /// The attempts after which a job is given up. Default: 3.
        public var attemptLimit = 3
        /// The time for which a job that is done is not added again, so that a list can be added once more. Default: 1 hour.
        public var memory: Duration = .seconds(3_600)
        /// The time of a call of the engine. Default: 2 s.
        public var deadline: Duration = .seconds(2)

        /// The defaults.
        public init() {}
    }

    /// Whether jobs are safe from eviction.
    public enum Safety: Sendable, Hashable {
        /// The engine evicts nothing.
        case certain
        /// The engine's user may not ask for its policy; the text is the engine's answer. Let an administrator check that
        /// `maxmemory-policy` is `noeviction`.
        case unknown(String)
    }

    /// The name of this worker: of its machine and process.
    public let worker: String
    let engine: FleetEngine
    let configuration: Configuration
    private let base: String
    private let channel: String
    private let safety = Lock<Safety?>(nil)
    private static let group = "workers"

    /// Creates a queue, which begins to be on the engine with its first job.
    ///
    /// - Parameters:
    ///   - name: The name of the queue; queues of other names are apart.
    ///   - configuration: Default: the defaults.
    ///   - worker: The name of this worker, which no other may have at the same time. Default: that of the machine with random
    ///     digits.
    public init(
        _ engine: FleetEngine,
        name: String = "prefetch",
        configuration: Configuration = Configuration(),
        worker: String? = nil
    ) {
        self.engine = engine
        self.configuration = configuration
        self.worker =
            worker ?? "\(ProcessInfo.processInfo.hostName).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        // One slot for all keys. Braces would end the tag, and empty ones be none.
        let escaped = name.utf8.map { "{}%".utf8.contains($0) ? "%\($0)" : String(UnicodeScalar($0)) }
        base = "hcq1:{\(name.isEmpty ? "%" : escaped.joined())}"
        channel = base + ":channel"
    }

    private var keys: [String] { ["\(base):urgent", "\(base):jobs", "\(base):counts", "\(base):failed"] }
    private var marks: String { "\(base):job:" }

    private static let limits = EngineConnection.Limits(byteCount: 64 << 20, elementCount: 1 << 20)

    private func call(_ script: String, _ values: [Data]) async throws -> EngineReply {
        let commands = [EngineCommand(script: script, keys: keys, values)]
        func perform() async throws -> EngineReply {
            try await engine.perform(
                commands,
                key: base,
                lane: .change,
                limits: Self.limits,
                deadline: configuration.deadline
            )[0].checked()
        }
        do {
            return try await perform()
        } catch FleetError.refused(let text) where text.hasPrefix("NOGROUP") {
            // The engine has lost what it had since the queue was opened.
            safety.withLock { $0 = nil }
            try await open()
            return try await perform()
        }
    }

    private static func data(_ words: [String]) -> [Data] { words.map { Data($0.utf8) } }

    private static func milliseconds(_ duration: Duration) -> String { "\(max(1, duration.whole(.milliseconds(1))))" }

    /// Makes sure that the engine evicts no jobs, and that the queue is there. Called by all others; the engine is asked
    /// once, and again when it has lost the queue.
    ///
    /// - Throws: ``FleetError/evicting(policy:)``, other ``FleetError``; `CancellationError`.
    @discardableResult
    public func open() async throws -> Safety {
        if let known = safety.withLock({ $0 }) { return known }
        let replies = try await engine.perform(
            [EngineCommand("INFO", "memory"), EngineCommand("CONFIG", "GET", "maxmemory-policy")],
            key: base,
            lane: .change,
            deadline: configuration.deadline
        )
        let line = replies[0].text?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("maxmemory_policy:") }
        let policy =
            line.map { String($0.dropFirst("maxmemory_policy:".utf8.count)) } ?? replies[1].elements?.last?.text
        if let policy, policy != "noeviction" { throw FleetError.evicting(policy: policy) }
        for key in keys.prefix(2) {
            let reply = try await engine.perform(
                [EngineCommand("XGROUP", "CREATE", key, Self.group, "0", "MKSTREAM")],
                key: base,
                lane: .change,
                deadline: configuration.deadline
            )[0]
            if case .error(let text) = reply, !text.hasPrefix("BUSYGROUP") { _ = try reply.checked() }
        }
        var found = Safety.certain
        if policy == nil {
            if case .error(let text) = replies[1] { found = .unknown(text) } else { found = .unknown("no answer") }
        }
        return safety.withLock { safety in
            safety = found
            return found
        }
    }

    /// The jobs that one call adds.
    private static let batch = 500

    /// Adds jobs, but for those that are in the queue, or were done within ``Configuration/memory``.
    ///
    /// - Returns: The number of jobs added.
    /// - Throws: ``FleetError/queueFull(limit:)`` if there is no room; those before it were added. ``FleetError``;
    ///   `CancellationError`.
    @discardableResult
    public func add(_ jobs: some Sequence<PrefetchJob>) async throws -> Int {
        var added = 0
        var batch: [PrefetchJob] = []
        func flush() async throws {
            let counts = try await addFirst(of: batch[...])
            added += counts.added
            if counts.seen < batch.count { throw FleetError.queueFull(limit: configuration.limit) }
            batch = []
        }
        for job in jobs {
            batch.append(job)
            if batch.count == Self.batch { try await flush() }
        }
        try await flush()
        return added
    }

    /// Adds the first of some jobs, as many as one call adds and the queue has room for.
    ///
    /// - Returns: The number of jobs added, and of those that need not be added again.
    /// - Throws: ``FleetError``; `CancellationError`.
    package func addFirst(of jobs: ArraySlice<PrefetchJob>) async throws -> (added: Int, seen: Int) {
        try await open()
        guard !jobs.isEmpty else { return (0, 0) }
        var values = Self.data([
            "\(configuration.limit)", marks, Self.milliseconds(max(configuration.memory, .seconds(7 * 86_400))),
            channel,
        ])
        for job in jobs.prefix(Self.batch) {
            values += [Data(job.id.utf8), Data((job.isUrgent ? "1" : "0").utf8), job.encoded]
        }
        let reply = try await call(PrefetchScripts.add, values)
        guard let counts = reply.elements?.compactMap(\.number), counts.count == 2 else {
            throw FleetError.invalidReply("\(reply)")
        }
        return (Int(counts[0]), Int(counts[1]))
    }

    /// Returns the state of the queue, over all machines.
    ///
    /// - Throws: ``FleetError``; `CancellationError`.
    public func progress() async throws -> PrefetchQueueProgress {
        try await open()
        let reply = try await call(PrefetchScripts.progress, Self.data([Self.group, "60000"]))
        guard let counts = reply.elements?.compactMap({ $0.number.map(Int.init) }), counts.count == 7 else {
            throw FleetError.invalidReply("\(reply)")
        }
        var progress = PrefetchQueueProgress()
        (progress.waitingCount, progress.runningCount, progress.workerCount) = (counts[0], counts[1], counts[2])
        (progress.addedCount, progress.doneCount) = (counts[3], counts[4])
        (progress.localCount, progress.failedCount) = (counts[5], counts[6])
        return progress
    }

    /// Returns the jobs that were given up, the newest first. The engine keeps about 10,000.
    ///
    /// - Parameter limit: Default: 100.
    /// - Throws: ``FleetError``; `CancellationError`.
    public func failures(limit: Int = 100) async throws -> [FailedPrefetchJob] {
        let reply = try await engine.perform(
            [EngineCommand("XREVRANGE", keys[3], "+", "-", "COUNT", "\(max(1, limit))")],
            key: base,
            lane: .change,
            limits: Self.limits,
            deadline: configuration.deadline
        )[0].checked()
        return (reply.elements ?? []).compactMap { entry in
            guard let parts = entry.elements, parts.count == 2, let fields = parts[1].elements, fields.count == 6,
                let job = fields[1].data.flatMap(PrefetchJob.init), let reason = fields[3].text
            else { return nil }
            return FailedPrefetchJob(job: job, reason: reason, attemptCount: fields[5].number.map(Int.init) ?? 0)
        }
    }

    /// A job that this worker has.
    struct Taken: Sendable {
        let stream: Int
        let entry: String
        let name: String
        /// `nil` for bytes that are no job.
        let job: PrefetchJob?
        /// Names the entry among those of both streams, whose numbers are the same where they were added at once.
        var id: String { "\(stream) \(entry)" }

        init?(_ reply: EngineReply) {
            guard let parts = reply.elements, parts.count == 5, let stream = parts[0].number, 1...2 ~= stream,
                let entry = parts[1].text, let name = parts[2].text, let data = parts[3].data
            else { return nil }
            self.stream = Int(stream)
            self.entry = entry
            self.name = name
            job = PrefetchJob(data)
        }
    }

    /// Takes new jobs.
    func take(_ count: Int) async throws -> [Taken] {
        let reply = try await call(PrefetchScripts.take, Self.data([Self.group, worker, "\(count)"]))
        return (reply.elements ?? []).compactMap(Taken.init)
    }

    /// Says that this worker is at its jobs, and takes up to a number of those whose workers are gone, or that have failed.
    ///
    /// - Parameter held: The jobs of this worker whose end is not noted. It takes none of them again, however late it is.
    func claim(_ count: Int, holding held: [Taken]) async throws -> [Taken] {
        var values = [
            Self.group, worker, Self.milliseconds(configuration.idleTime), "\(count)", "\(configuration.attemptLimit)",
            marks,
        ]
        values += held.flatMap { ["\($0.stream)", $0.entry] }
        return try await (call(PrefetchScripts.claim, Self.data(values)).elements ?? []).compactMap(Taken.init)
    }

    /// Notes how jobs ended, and returns the number of those that this worker was the first to finish.
    func finish(_ ended: [(taken: Taken, outcome: PrefetchOutcome)]) async throws -> Int {
        var values: [String] = []
        for (taken, outcome) in ended {
            switch outcome {
            case .shared, .local: values += ["\(taken.stream)", taken.entry, taken.name, outcome == .local ? "1" : "0"]
            case .failed(let reason, let isFinal):
                _ = try await call(
                    PrefetchScripts.fail,
                    Self.data([
                        Self.group, marks, "\(taken.stream)", taken.entry, taken.name, reason, isFinal ? "1" : "0",
                        "\(configuration.attemptLimit)", worker,
                    ])
                )
            }
        }
        guard !values.isEmpty else { return 0 }
        let head = [Self.group, marks, Self.milliseconds(configuration.memory), channel]
        return try await Int(call(PrefetchScripts.finish, Self.data(head + values)).number ?? 0)
    }

    /// Calls a function when jobs were added, or the last one is done, until the returned function is called.
    func listen(_ wake: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = engine.channel.addListener(of: channel) { _ in wake() }
        return { [engine, channel] in engine.channel.removeListener(id, of: channel) }
    }
}
