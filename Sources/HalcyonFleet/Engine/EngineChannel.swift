internal import Dispatch
internal import FoundationEssentials
internal import HalcyonSystem

/// The one subscription of a process to the channels of an engine: a connection and a thread, begun with the first listener.
final class EngineChannel: Sendable {
    /// What a listener hears.
    enum Event: Sendable {
        /// The subscription holds from now on: what was published before was not heard.
        case connected
        /// Nothing is heard until it holds again.
        case lost
        case message(Data)
    }

    typealias Listener = @Sendable (Event) -> Void

    private struct State {
        var listeners: [String: [Int: Listener]] = [:]
        var lastID = 0
        /// The channels with a new listener. The thread subscribes to them, again if it has done so: a listener trusts what it
        /// hears from its first ``Event/connected`` on.
        var added: Set<String> = []
        /// The channels that have lost their last listener.
        var removed: Set<String> = []
        var isRunning = false
        var isConnected = false
        var isClosed = false
    }

    /// The time after which silence is taken for a loss, unless the engine answers.
    private static let silence = Duration.seconds(2)

    private let topology: EngineTopology
    private let configuration: FleetEngine.Configuration
    private let state = Lock(State())
    private let ended = DispatchSemaphore(value: 0)

    init(topology: EngineTopology, configuration: FleetEngine.Configuration) {
        self.topology = topology
        self.configuration = configuration
    }

    /// `true` while messages are heard.
    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Calls a function with the events of a channel, on the channel's thread, until ``removeListener(_:of:)``.
    func addListener(of channel: String, _ listener: @escaping Listener) -> Int {
        let (id, mustStart) = state.withLock { state in
            state.lastID += 1
            state.added.insert(channel)
            state.listeners[channel, default: [:]][state.lastID] = listener
            let mustStart = !state.isRunning && !state.isClosed
            if mustStart { state.isRunning = true }
            return (state.lastID, mustStart)
        }
        if mustStart {
            let isStarted = SystemThread.detached { [weak self, ended] in
                while let pause = self?.listen() {
                    _ = ended.wait(until: .now + pause)
                }
            }
            if !isStarted { state.withLock { $0.isRunning = false } }
        }
        return id
    }

    func removeListener(_ id: Int, of channel: String) {
        let removed = state.withLock { state in
            let removed = state.listeners[channel]?.removeValue(forKey: id)
            if state.listeners[channel]?.isEmpty == true {
                state.listeners[channel] = nil
                state.removed.insert(channel)
            }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    func close() {
        state.withLock { $0.isClosed = true }
        ended.signal()
    }

    /// Connects and hears messages for a while; returns the time to wait before the next call, and `nil` at the end. It returns
    /// often, so that the thread does not keep this object.
    private func listen() -> Duration? {
        guard !state.withLock({ $0.isClosed }) else { return nil }
        do throws(FleetError) {
            let node = try topology.node(for: nil, until: .now + configuration.connectionDeadline)
            do throws(FleetError) {
                try hear(try configuration.connection(to: node.address))
            } catch {
                if error.losesConnection { node.fail() }
                topology.lose(node)
                throw error
            }
        } catch {}
        let wasConnected = state.withLock { state in
            defer { state.isConnected = false }
            return state.isConnected
        }
        if wasConnected { tell(.lost) }
        return state.withLock { $0.isClosed } ? nil : .milliseconds(.random(in: 100...400))
    }

    /// Hears messages until the connection is lost.
    private func hear(_ connection: EngineConnection) throws(FleetError) {
        var isNew = true
        var lastHeard = ContinuousClock.now
        var isAsked = false
        while true {
            let (channels, removed, isClosed) = state.withLock { state in
                defer { (state.added, state.removed) = ([], []) }
                let removed = isNew ? [] : state.removed.filter { state.listeners[$0] == nil }
                let added = isNew ? Set(state.listeners.keys) : state.added.filter { state.listeners[$0] != nil }
                return (added, removed, state.isClosed)
            }
            if isClosed { return }
            for channel in removed {
                try connection.send([EngineCommand("UNSUBSCRIBE", channel)], until: .now + Self.silence)
            }
            for channel in channels.sorted() {
                try connection.send([EngineCommand("SUBSCRIBE", channel)], until: .now + Self.silence)
            }
            if isNew { state.withLock { $0.isConnected = true } }
            isNew = false
            do throws(FleetError) {
                // Short, so that new channels and the end are seen.
                try handle(connection.next(limits: .small, until: .now + .milliseconds(200)))
                (lastHeard, isAsked) = (.now, false)
            } catch {
                guard error == .deadlineExceeded else { throw error }
                let quiet = ContinuousClock.now - lastHeard
                if quiet > Self.silence * 2 { throw error }
                if quiet > Self.silence, !isAsked {
                    try connection.send([EngineCommand("PING")], until: .now + Self.silence)
                    isAsked = true
                }
            }
        }
    }

    /// Tells the listeners what has come.
    private func handle(_ reply: EngineReply) throws(FleetError) {
        // The answer to PING of a connection without a channel.
        if reply.text == "PONG" { return }
        guard let parts = reply.elements, parts.count >= 2 else {
            _ = try reply.checked()
            throw .invalidReply("\(reply)")
        }
        switch (parts[0].text, parts[1].text) {
        case ("subscribe", let channel?): tell(.connected, channel)
        case ("message", let channel?): if parts.count > 2, let data = parts[2].data { tell(.message(data), channel) }
        default: break
        }
    }

    /// Calls the listeners of a channel, or of all.
    private func tell(_ event: Event, _ channel: String? = nil) {
        let listeners = state.withLock { state in
            guard let channel else { return state.listeners.values.flatMap(\.values) }
            return Array((state.listeners[channel] ?? [:]).values)
        }
        for listener in listeners { listener(event) }
    }
}
