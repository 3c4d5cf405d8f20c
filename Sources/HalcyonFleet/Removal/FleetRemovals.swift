internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// The removals of all machines, in one order: a stream on the engine, and a channel that tells of what is new in it.
///
/// A process that was away, because it or the engine could not be reached, reads what it has missed before it trusts an entry
/// again. It reads on from a position that it has made true of its own caches.
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
        /// `true` from the time at which everything published before ``isListening`` was read.
        var isCurrent = false
        var reading: Task<Bool, Never>?
        var mustReadAgain = false
        /// What was read and is not made yet, in order; made by one task.
        var waiting: [Removal] = []
        var making: Task<Void, Never>?
        var handler: (@Sendable (TierScope) async -> Void)?
    }

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
        let (reading, making) = state.withLock { ($0.reading, $0.making) }
        reading?.cancel()
        making?.cancel()
    }

    /// Calls a function with the removals of other processes, one after the other in their order, from now on.
    func follow(_ handler: @escaping @Sendable (TierScope) async -> Void) {
        state.withLock { $0.handler = handler }
        listen()
    }

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
                self.state.withLock { ($0.isListening, $0.isCurrent) = (true, false) }
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

    /// The position up to which all removals of others have been made in this process, and the identity of the log.
    func position(for key: CacheKey) -> (position: RemovalPosition, log: UInt64) {
        state.withLock { state in
            let own = state.own.filter { $0.scope.covers(key, digest: nil) }.map(\.position).max()
            return (max(state.heard, own ?? .start), state.log)
        }
    }

    /// Returns whether an entry that was stored at a position was removed since.
    func isRemoved(_ key: CacheKey, storedAt position: RemovalPosition, in log: UInt64) -> Bool {
        state.withLock { state in
            guard log == state.log else { return true }
            if position < state.overflow { return true }
            return state.wide.contains { $0.position > position && $0.scope.covers(key, digest: nil) }
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

    /// The script by which a removal is logged.
    ///
    /// KEYS: log, removals of several names, position of the newest of those that were dropped, identity. ARGV: 1 for several
    /// names, most entries, most of several names, channel, new identity, fields of the entry.
    private static let append = """
        if not redis.call('GET', KEYS[4]) then redis.call('SET', KEYS[4], ARGV[5]) end
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', '1')
        local fields = {'previous', #last > 0 and last[1][1] or '0-0'}
        for i = 6, #ARGV do fields[#fields + 1] = ARGV[i] end
        local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(fields))
        if ARGV[1] == '1' then
            redis.call('XADD', KEYS[2], id, unpack(fields))
            while redis.call('XLEN', KEYS[2]) > tonumber(ARGV[3]) do
                local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', '1')[1][1]
                redis.call('XDEL', KEYS[2], first)
                redis.call('SET', KEYS[3], first)
            end
        end
        redis.call('PUBLISH', ARGV[4], id)
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
                RemovalFields.isWide(scope) ? "1" : "0", "\(Self.logLimit)", "\(Self.wideLimit)", channel,
                "\(UInt64.random(in: 1 ... .max))",
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

    private var keys: [String] { [log, "\(log):wide", "\(log):dropped", "\(log):identity"] }

    private func readSoon() {
        Task { [weak self] in _ = await self?.read() }
    }

    /// Reads new removals, once for all that wait.
    private func read() async -> Bool {
        let task = state.withLock { state -> Task<Bool, Never> in
            if let reading = state.reading {
                // It may have asked before the newest was there.
                state.mustReadAgain = true
                return reading
            }
            let task = Task { [weak self] in await self?.readAll() ?? false }
            state.reading = task
            return task
        }
        return await task.value
    }

    /// Reads until nothing new came meanwhile.
    private func readAll() async -> Bool {
        while true {
            state.withLock { $0.mustReadAgain = false }
            let isListening = state.withLock { $0.isListening }
            let isRead = (try? await readOnce()) ?? false
            let isOver = state.withLock { state in
                if state.mustReadAgain, isRead { return false }
                state.reading = nil
                // Only if nothing can have been published unheard since before the question.
                state.isCurrent = isRead && isListening && state.isListening
                return true
            }
            if isOver { return isRead }
        }
    }

    /// The removals that are read at once.
    private static let batch = 500

    /// Returns the identity of the log, which an empty one has too, so that entries can be stored before anything was removed;
    /// the newest that was dropped of those of several names; the newest of all; and the time of the engine in ms.
    private static let head = """
        if not redis.call('GET', KEYS[4]) then redis.call('SET', KEYS[4], ARGV[1]) end
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', '1')
        local time = redis.call('TIME')
        return {redis.call('GET', KEYS[4]), redis.call('GET', KEYS[3]) or '', #last > 0 and last[1][1] or '0-0',
            time[1] * 1000 + math.floor(time[2] / 1000)}
        """

    /// Reads what is new, in the order in which a process that stops in the middle misses nothing.
    private func readOnce() async throws -> Bool {
        let (identity, position) = state.withLock { ($0.log, $0.read) }
        var commands = [
            EngineCommand(script: Self.head, keys: keys, [Data("\(UInt64.random(in: 1 ... .max))".utf8)]),
            EngineCommand("XRANGE", log, "(\(position)", "+", "COUNT", "\(Self.batch)"),
        ]
        if identity == 0 { commands.append(EngineCommand("XRANGE", "\(log):wide", "-", "+")) }
        let replies = try await engine.perform(commands, key: log, limits: .init(byteCount: 16 << 20))
            .map { try $0.checked() }
        let now = clock.now()
        guard let head = replies[0].elements, head.count == 4, let found = head[0].text.flatMap({ UInt64($0) }),
            let last = RemovalPosition(head[2].text),
            let time = head[3].number
        else { throw FleetError.invalidReply("\(replies[0])") }
        // The clocks of engine and machine may differ.
        let date = { (position: RemovalPosition) in
            now.addingTimeInterval((Double(position.time) - Double(time)) / 1_000)
        }
        guard let missed = replies[1].elements?.compactMap({ RemovalFields.decoded($0, date) }) else {
            throw FleetError.invalidReply("\(replies[1])")
        }
        let dropped = RemovalPosition(head[1].text) ?? .start
        guard found == identity else {
            let wide =
                replies.count > 2 ? replies[2].elements?.compactMap { RemovalFields.decoded($0, date) } ?? [] : []
            state.withLock { state in
                // Of an engine that has lost its log nothing can be asked: what it knew ends with its time to live.
                (state.log, state.read, state.heard, state.own) = (found, last, last, [])
                state.wide = wide.map { ($0.scope, $0.position) }
                state.overflow = dropped
                state.waiting = []
            }
            return true
        }
        let isGap = missed.first.map { $0.previous > position } ?? false
        state.withLock { state in
            state.overflow = max(state.overflow, dropped)
            if isGap {
                // What the log has no more may have been about any name.
                let gap = missed[0].previous
                state.overflow = max(state.overflow, gap)
                state.waiting.append(Removal(position: gap, previous: position, scope: .everything, process: ""))
            }
            for removal in missed {
                if RemovalFields.isWide(removal.scope) { state.addWide(removal.scope, removal.position) }
            }
            state.read = missed.last?.position ?? state.read
            state.waiting += missed
            if missed.count == Self.batch { state.mustReadAgain = true }
            guard state.making == nil, !state.waiting.isEmpty else { return }
            state.making = Task { [weak self] in await self?.makeAll() }
        }
        return true
    }

    /// Makes the removals of others in this process, in their order. No look-up waits for it, as the cache that makes them
    /// waits for look-ups.
    private func makeAll() async {
        while true {
            let (removal, handler) = state.withLock { state -> (Removal?, (@Sendable (TierScope) async -> Void)?) in
                guard !state.waiting.isEmpty, !Task.isCancelled else {
                    state.making = nil
                    return (nil, nil)
                }
                return (state.waiting.removeFirst(), state.handler)
            }
            guard let removal else { return }
            if removal.process != process { await handler?(removal.scope) }
            state.withLock { state in
                // Unless the log was lost meanwhile.
                guard removal.position <= state.read else { return }
                state.heard = max(state.heard, removal.position)
                state.own.removeAll { $0.position <= state.heard }
            }
        }
    }
}

extension FleetRemovals.State {
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
