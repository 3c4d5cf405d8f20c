internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The removals of all machines, in one order: a stream on the engine, and a channel that tells of what is new in it.
///
/// A process that was away, because it or the engine could not be reached, reads what it has missed before it trusts an entry
/// again. It reads on from a position that it has made true of its own caches, also one of an earlier process (``RemovalRecord``).
/// Where it cannot tell what it has missed, it removes everything.
final class FleetRemovals: Sendable {
    /// A removal as the log has it.
    struct Removal: Sendable, Equatable {
        let position: RemovalPosition
        /// The position of the one before, by which a reader sees that it has missed some that the log has no more.
        let previous: RemovalPosition
        let scope: TierScope
        let process: String
    }

    fileprivate struct State {
        /// The identity of the log; 0 before it is known.
        var log: UInt64 = 0
        /// `true` once ``wide`` has those of the log.
        var isWideRead = false
        /// `true` if removals were missed that no log has.
        var hasMissed = false
        /// Everything up to here has been made in this process.
        var heard = RemovalPosition.start
        /// The newest removal that was read, but perhaps not made yet.
        var read = RemovalPosition.start
        /// Removals of several names, which entries are compared with. Each once, with its last position.
        var wide: [(scope: TierScope, position: RemovalPosition)] = []
        /// The newest removal that is not among these, as there were too many: it counts for all names.
        var overflow = RemovalPosition.start
        /// The removals of this process that ``heard`` does not cover yet.
        var own: [(scope: TierScope, position: RemovalPosition)] = []
        /// `true` while nothing can be published that is not heard.
        var isListening = false
        /// Rises when the subscription begins, so that a read from before it does not count.
        var subscription = 0
        /// `true` from the time at which everything published before ``isListening`` was read.
        var isCurrent = false
        /// `true` while a task asks again and again.
        var isRetrying = false
        /// Asks the engine.
        var reading: Task<Bool, Never>?
        /// Asks after that, for all that came meanwhile: it may have asked before the newest was there.
        var next: Task<Bool, Never>?
        /// What was read and is not made yet, in order; made by one task.
        var waiting: [Removal] = []
        /// The newest that was taken from those, made or not.
        var taken = RemovalPosition.start
        /// What could not be made, in order, and is made again with the next read. What comes after it does not wait for it, but
        /// counts as made only then.
        var failed: [Removal] = []
        var making: Task<Void, Never>?
        var handler: Handler?
        var record: RemovalRecord?
        /// The positions in logs of which one is read on, until the identity of the log is known.
        var known: [UInt64: RemovalPosition] = [:]
    }

    /// Makes a removal of another process in this one, for the first time or again, and returns whether it is made.
    typealias Handler = @Sendable (Removal, _ isAgain: Bool) async -> Bool

    /// The most removals of several names that are told apart.
    static let wideLimit = 1_024
    /// The most removals that the log has.
    static let logLimit = 10_000
    private static let ownLimit = 256

    private let engine: FleetEngine
    private let log: String
    private let channel: String
    private let process: String
    private let state = Lock(State())
    private let listener = Lock<(isBegun: Bool, id: Int?)>((false, nil))

    private let listens: Bool
    private let clock: StoreClock

    /// - Parameter listens: `false` to hear nothing, and ask at each look-up. Default: `true`.
    init(_ engine: FleetEngine, prefix: String, process: String, clock: StoreClock, listens: Bool = true) {
        self.clock = clock
        self.listens = listens
        self.engine = engine
        log = "\(prefix):{log}"
        channel = "\(prefix):removed"
        self.process = process
    }

    deinit {
        if let id = listener.withLock({ $0.id }) { engine.channel.removeListener(id, of: channel) }
        for task in state.withLock({ [$0.reading, $0.next] }) { task?.cancel() }
        state.withLock { $0.making }?.cancel()
    }

    /// Calls a function with the removals of other processes, one after the other in their order, from now on. One that is not
    /// made is made again with the next read, unless a later one covers it.
    func handle(with handler: @escaping Handler) {
        state.withLock { $0.handler = handler }
    }

    /// Begins to hear of removals, and reads on where a record ends.
    func follow(since record: RemovalRecord?) {
        let known = record?.position
        state.withLock { state in
            state.record = record
            if state.log == 0, case .known(let positions) = known {
                state.known = positions
            } else if let known, known != .nothing {
                (state.hasMissed, state.isCurrent) = (true, false)
            }
        }
        listen()
    }

    /// Leaves the record as it is from now on.
    func stopRecording() { state.withLock { $0.record = nil } }

    /// Begins to hear of removals, unless it has begun: while nothing is new, a look-up then asks nothing more than for its
    /// entry.
    private func listen() {
        let mustBegin = listener.withLock { listener in
            defer { listener.isBegun = true }
            return !listener.isBegun && listens
        }
        guard mustBegin else { return }
        let id = engine.channel.addListener(of: channel) { [weak self] event in
            guard let self else { return }
            switch event {
            case .connected:
                self.state.withLock { state in
                    (state.isListening, state.isCurrent) = (true, false)
                    state.subscription += 1
                }
                readSoon()
            case .lost:
                self.state.withLock { ($0.isListening, $0.isCurrent) = (false, false) }
            case .message:
                readSoon()
            }
        }
        listener.withLock { $0.id = id }
    }

    /// `true` while everything that was published is known.
    var isCurrent: Bool { state.withLock { $0.isCurrent } }

    /// The position up to which all removals of others have been made in this process.
    var heard: RemovalPosition { state.withLock { $0.heard } }

    /// The position up to which all removals of others have been made in this process, and the identity of the log; 0 while what
    /// the process has may have been removed by any that it missed, so that no machine finds what it stores.
    func position(for key: CacheKey) -> (position: RemovalPosition, log: UInt64) {
        state.withLock { state in
            let own = state.own.filter { $0.scope.covers(key, digest: nil) }.map(\.position).max()
            let isBehind = state.waiting.contains { $0.process.isEmpty }
            return (max(state.heard, own ?? .start), isBehind ? 0 : state.log)
        }
    }

    /// Returns whether an entry that was stored at a position was removed since, also where the engine refused to remove it.
    ///
    /// - Parameters:
    ///   - digest: The digest of the entry's original; `nil` if it is not known.
    ///   - arrival: The time of its arrival, by the clock of this machine.
    func isRemoved(
        _ key: CacheKey,
        digest: UInt64?,
        storedAt position: RemovalPosition,
        in log: UInt64,
        arrival: Date
    ) -> Bool {
        state.withLock { state in
            guard log == state.log, log != 0 else { return true }
            if position < state.overflow { return true }
            let isWide = state.wide.contains { $0.position > position && $0.scope.covers(key, digest: nil) }
            return isWide
                || state.failed.contains {
                    $0.position > position && $0.scope.covers(key, digest: digest, storedAt: arrival)
                }
        }
    }

    /// Reads what is not known yet, unless everything is: while the subscription holds, nothing is asked.
    ///
    /// - Returns: `false` if the engine cannot be asked.
    func becomeCurrent() async -> Bool {
        if state.withLock({ $0.isCurrent }) { return true }
        listen()
        return await read()
    }

    /// Begins a new log, with another identity, if there is none, or the engine has evicted a part of it: what the rest says would
    /// not be all.
    ///
    /// KEYS: log, removals of several names, a hash with the newest position of both, the identity, and the position of the newest
    /// of those of several names that were dropped. ARGV: new identity.
    private static let begin = """
        local function last(key)
            local found = redis.call('XREVRANGE', key, '+', '-', 'COUNT', '1')
            return #found > 0 and found[1][1] or '0-0'
        end
        local state = redis.call('HMGET', KEYS[3], 'log', 'wide', 'identity', 'dropped')
        if state[1] ~= last(KEYS[1]) or state[2] ~= last(KEYS[2]) then
            redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
            state = {'0-0', '0-0', ARGV[1], '0-0'}
            redis.call('HSET', KEYS[3], 'log', '0-0', 'wide', '0-0', 'identity', ARGV[1], 'dropped', '0-0')
        end

        """

    /// The script by which a removal is logged. What makes room comes first: a full engine refuses to begin with anything else.
    ///
    /// ARGV, beyond that of ``begin``: 1 for several names, most entries, most of several names, channel, fields of the entry.
    private static let append =
        begin + """
            redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[3])
            local fields = {'previous', state[1]}
            for i = 6, #ARGV do fields[#fields + 1] = ARGV[i] end
            local id = redis.call('XADD', KEYS[1], '*', unpack(fields))
            redis.call('HSET', KEYS[3], 'log', id)
            if ARGV[2] == '1' then
                redis.call('XADD', KEYS[2], id, unpack(fields))
                redis.call('HSET', KEYS[3], 'wide', id)
                while redis.call('XLEN', KEYS[2]) > tonumber(ARGV[4]) do
                    local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', '1')[1][1]
                    redis.call('XDEL', KEYS[2], first)
                    redis.call('HSET', KEYS[3], 'dropped', first)
                end
            end
            redis.call('PUBLISH', ARGV[5], id)
            return id
            """

    /// Logs a removal of this process, and returns its position.
    ///
    /// - Throws: ``FleetError``; `CancellationError`.
    func publish(_ scope: TierScope) async throws -> RemovalPosition {
        let fields = RemovalFields.encoded(scope, process: process, now: clock.now())
        let command = EngineCommand(
            script: Self.append,
            keys: keys,
            [
                "\(UInt64.random(in: 1 ... .max))", RemovalFields.isWide(scope) ? "1" : "0", "\(Self.logLimit)",
                "\(Self.wideLimit)", channel,
            ].map { Data($0.utf8) } + fields
        )
        let reply = try await engine.perform([command], key: log, lane: .change, isRepeatable: false)[0].checked()
        guard let position = RemovalPosition(reply.text) else { throw FleetError.invalidReply("\(reply)") }
        state.withLock { state in
            if RemovalFields.isWide(scope) { state.addWide(scope, position) }
            state.own.removeAll { $0.scope == scope }
            state.own.append((scope, position))
            if state.own.count > Self.ownLimit { state.own.removeFirst() }
        }
        return position
    }

    private var keys: [String] { [log, "\(log):wide", "\(log):state"] }

    /// Reads what is new, and tries again while the engine cannot be asked: nothing else does where all that is looked for is
    /// found above it. Without a subscription, the next one reads.
    private func readSoon() {
        Task { [weak self] in
            guard await self?.read() == false,
                self?.state.withLock({ exchange(&$0.isRetrying, with: true) }) == false
            else { return }
            var delay = Self.firstRetryDelay
            while self?.state.withLock({ $0.isListening && !$0.isCurrent }) == true {
                try? await Task.sleep(for: delay)
                delay = min(delay * 2, Self.lastRetryDelay)
                _ = await self?.read()
            }
            self?.state.withLock { $0.isRetrying = false }
        }
    }

    private static let firstRetryDelay = Duration.milliseconds(100)
    private static let lastRetryDelay = Duration.seconds(10)

    /// Reads new removals, once for all that wait: a call that comes during a read waits for that, and for one more.
    private func read() async -> Bool {
        let task = state.withLock { state -> Task<Bool, Never> in
            if let next = state.next { return next }
            let task = Task { [weak self, earlier = state.reading] in
                _ = await earlier?.value
                return await self?.readAll() ?? false
            }
            state.next = task
            return task
        }
        return await task.value
    }

    /// Reads all that is new.
    private func readAll() async -> Bool {
        let subscription = state.withLock { state in
            (state.reading, state.next) = (state.next, nil)
            return state.isListening ? state.subscription : nil
        }
        var isRead = false
        do {
            while try await !readSome() {}
            isRead = true
        } catch {}
        state.withLock { state in
            state.reading = nil
            // Only if nothing can have been published unheard since before the question, and what was not made is tried again.
            let isHeard = state.isListening && state.subscription == subscription
            let isMade = state.waiting.isEmpty && state.failed.isEmpty
            state.isCurrent = isRead && isHeard && (state.making != nil || isMade)
        }
        return isRead
    }

    /// The removals that are read at once.
    private static let batch = 500

    /// Returns the identity of the log, which an empty one has too, so that entries can be stored before anything was removed;
    /// the newest that was dropped of those of several names; the newest of all; and the time of the engine in ms.
    private static let head =
        begin + """
            local time = redis.call('TIME')
            return {state[3], state[4], state[1], time[1] * 1000 + math.floor(time[2] / 1000)}
            """

    /// Reads what is new, in the order in which a process that stops in the middle misses nothing.
    ///
    /// - Returns: `false` if there is more.
    private func readSome() async throws -> Bool {
        let (identity, position, isWideRead) = state.withLock { ($0.log, $0.read, $0.isWideRead) }
        var commands = [
            EngineCommand(script: Self.head, keys: keys, [Data("\(UInt64.random(in: 1 ... .max))".utf8)]),
            EngineCommand("XRANGE", log, "(\(position)", "+", "COUNT", "\(Self.batch)"),
        ]
        if !isWideRead { commands.append(EngineCommand("XRANGE", "\(log):wide", "-", "+")) }
        let replies = try await engine.perform(commands, key: log, limits: .init(byteCount: 16 << 20))
            .map { try $0.checked() }
        let now = clock.now()
        guard let head = replies[0].elements, head.count == 4, let found = head[0].text.flatMap({ UInt64($0) }),
            let dropped = RemovalPosition(head[1].text), let last = RemovalPosition(head[2].text),
            let time = head[3].number
        else { throw FleetError.invalidReply("\(replies[0])") }
        // The clocks of engine and machine may differ.
        let date = { (position: RemovalPosition) in
            now.addingTimeInterval((Double(position.time) - Double(time)) / 1_000)
        }
        let lists = try replies.dropFirst().map { reply in
            guard let elements = reply.elements else { throw FleetError.invalidReply("\(reply)") }
            return elements.compactMap { RemovalFields.decoded($0, date) }
        }
        return state.withLock { state in
            if identity != 0, found != identity {
                // Entries of the old log are none any more; what was removed since the last read is not known.
                (state.log, state.isWideRead, state.hasMissed, state.own) = (0, false, true, [])
                return false
            }
            var missed = lists[0]
            var expected = missed.first?.previous ?? last
            if identity == 0 {
                let known = state.known
                state.known = [:]
                if !state.hasMissed, let position = known[found] {
                    (state.log, state.read, state.heard, state.taken) = (found, position, position, position)
                    return false
                }
                // The disk has entries from before this log was heard.
                if !known.isEmpty { state.hasMissed = true }
                // What was removed before is found in no entry that this process has, unless it has missed something.
                (state.log, state.heard, state.overflow) = (found, state.hasMissed ? .start : last, .start)
                (missed, expected, state.waiting, state.failed) = ([], last, [], [])
                state.taken = state.heard
            }
            if !isWideRead {
                state.wide = lists[1].map { ($0.scope, $0.position) }
                state.isWideRead = true
                for own in state.own where RemovalFields.isWide(own.scope) { state.addWide(own.scope, own.position) }
            }
            state.overflow = max(state.overflow, dropped)
            let isGap = identity != 0 && expected != position
            if isGap || state.hasMissed {
                // What the log has no more may have been about any name. Those of several names are read again.
                if isGap, isWideRead { state.isWideRead = false }
                state.waiting.append(Removal(position: expected, previous: position, scope: .everything, process: ""))
                state.hasMissed = false
            }
            for removal in missed where RemovalFields.isWide(removal.scope) {
                state.addWide(removal.scope, removal.position)
            }
            state.read = missed.last?.position ?? last
            state.waiting += missed
            if state.making == nil, identity == 0 || !state.waiting.isEmpty || !state.failed.isEmpty {
                state.making = Task { [weak self] in await self?.makeAll() }
            }
            return missed.count < Self.batch && state.isWideRead
        }
    }

    /// Returns whether a removal is one of this process, or keeps an original under a name of which this process has made a later
    /// removal: what that has left is newer than the original. With several representations it says nothing of those that it keeps
    /// beside the newest.
    private func isDone(_ removal: Removal) -> Bool {
        if removal.process == process { return true }
        guard case .name(let name, let kept, _) = removal.scope, !kept.isEmpty else { return false }
        let key = CacheKey(name: name)
        return state.withLock { state in
            state.own.contains { own in
                if case .name(_, let kept, _) = own.scope, kept.count > 1 { return false }
                return own.position > removal.position && own.scope.covers(key, digest: nil)
            }
        }
    }

    /// The removals after which it is recorded how far this process is, also while there are more.
    private static let recordInterval = 100

    /// Makes the removals of others in this process, in their order, and records how far it is. No look-up waits for it, as the
    /// cache that makes them waits for look-ups.
    private func makeAll() async {
        let (log, failed) = state.withLock { ($0.log, $0.failed) }
        for removal in failed {
            // A later one may have covered it meanwhile.
            guard let handler = state.withLock({ $0.failed.contains(removal) ? $0.handler : nil }) else { continue }
            let isMade = isDone(removal) ? true : await handler(removal, true)
            if isMade {
                state.withLock { if $0.log == log { $0.endFailure(of: removal) } }
            }
        }
        var count = 0
        while await makeNext() {
            count += 1
            if count.isMultiple(of: Self.recordInterval) { record() }
        }
        record()
    }

    /// Makes the next removal.
    ///
    /// - Returns: `false` if there is none, and no task makes them any more.
    private func makeNext() async -> Bool {
        let (log, first, handler) = state.withLock { state in
            let first = Task.isCancelled ? nil : state.waiting.first
            if first == nil {
                state.making = nil
                if !state.failed.isEmpty { state.isCurrent = false }
            }
            return (state.log, first, state.handler)
        }
        guard let first else { return false }
        let isMade = isDone(first) ? true : await handler?(first, false) ?? true
        state.withLock { state in
            // The log was lost meanwhile, and with it what it said.
            guard state.log == log, state.waiting.first == first else { return }
            state.waiting.removeFirst()
            state.end(first, isMade: isMade)
        }
        return true
    }

    private func record() {
        let (record, log, position) = state.withLock { state in
            // What was missed is in no log.
            let isBehind = (state.waiting + state.failed).contains { $0.process.isEmpty }
            return (isBehind ? nil : state.record, state.log, state.heard)
        }
        if log != 0 { record?.write(log, position) }
    }
}

extension FleetRemovals.State {
    /// Notes that a removal is made, or has failed. It covers earlier failures.
    fileprivate mutating func end(_ removal: FleetRemovals.Removal, isMade: Bool) {
        failed.removeAll { failure in
            guard case .name(let name, let kept, _) = failure.scope else { return false }
            // What an earlier one was to remove may be among what a later one keeps.
            if kept.isEmpty, case .name(_, let others, _) = removal.scope, !others.isEmpty { return false }
            return removal.scope.covers(CacheKey(name: name), digest: nil)
        }
        if !isMade { failed.append(removal) }
        taken = max(taken, removal.position)
        advance()
    }

    /// Notes that a removal that had failed is made.
    fileprivate mutating func endFailure(of removal: FleetRemovals.Removal) {
        failed.removeAll { $0 == removal }
        advance()
    }

    private mutating func advance() {
        guard failed.isEmpty else { return }
        heard = max(heard, taken)
        own.removeAll { $0.position <= heard }
    }

    fileprivate mutating func addWide(_ scope: TierScope, _ position: RemovalPosition) {
        if scope == .everything { wide.removeAll { $0.position <= position } }
        wide.removeAll { $0.scope == scope && $0.position <= position }
        wide.append((scope, position))
        if wide.count > FleetRemovals.wideLimit {
            overflow = max(overflow, wide.removeFirst().position)
        }
    }
}

/// The fields of a removal in the log.
enum RemovalFields {
    /// `true` for a removal that may be about several names, or a part of one that only its prefix tells.
    static func isWide(_ scope: TierScope) -> Bool {
        switch scope {
        case .entry, .name: false
        case .names, .everything: true
        }
    }

    static func encoded(_ scope: TierScope, process: String, now: Date) -> [Data] {
        var fields: [(String, Data)] = [("process", Data(process.utf8))]
        switch scope {
        case .entry(let key, _): fields.append(("entry", Data(key.text.utf8)))
        case .name(let name, let kept, let since):
            fields.append(("name", Data(name.utf8)))
            for digest in kept { fields.append(("except", SharedEntry.row(digest))) }
            if let since { fields.append(("age", Data("\(now.milliseconds(since: since))".utf8))) }
        case .names(let prefix): fields.append(("names", Data(prefix.utf8)))
        case .everything: fields.append(("everything", Data()))
        }
        return fields.flatMap { [Data($0.0.utf8), $0.1] }
    }

    /// Reads an entry of the log; `nil` for another one.
    ///
    /// - Parameter date: Returns the time of a position by the clock of this machine.
    static func decoded(_ reply: EngineReply, _ date: (RemovalPosition) -> Date) -> FleetRemovals.Removal? {
        guard let parts = reply.elements, parts.count == 2, let position = RemovalPosition(parts[0].text),
            let fields = parts[1].elements, fields.count.isMultiple(of: 2)
        else { return nil }
        var (process, previous, kept) = ("", RemovalPosition.start, Set<UInt64>())
        var scope: TierScope?
        var since: Date?
        for index in stride(from: 0, to: fields.count, by: 2) {
            guard let name = fields[index].text, let value = fields[index + 1].data else { return nil }
            let text = String(decoding: value, as: UTF8.self)
            switch name {
            case "process": process = text
            case "previous": previous = RemovalPosition(text) ?? .start
            case "entry": scope = .entry(CacheKey(text: text))
            case "name": scope = .name(text)
            case "names": scope = .names(beginningWith: text)
            case "everything": scope = .everything
            case "except" where value.count == 9:
                kept.insert(
                    value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) }
                )
            case "age": since = Double(text).map { date(position).addingTimeInterval(-$0 / 1_000) }
            default: break
            }
        }
        if case .name(let name, _, _)? = scope { scope = .name(name, except: kept, unknownSince: since) }
        return scope.map { FleetRemovals.Removal(position: position, previous: previous, scope: $0, process: process) }
    }
}
