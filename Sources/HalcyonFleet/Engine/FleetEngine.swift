internal import FoundationEssentials
internal import HalcyonSystem

/// A Redis or Valkey engine: one node, the primary that Sentinels name, or a cluster.
///
/// Calls run on threads of their own and have one deadline, in which connecting, redirections and a second try have to find
/// place. A node that failed five times in a row is asked once a second. So an engine that hangs or is gone costs its callers
/// a few deadlines, and then next to nothing.
///
/// It speaks the second version of the protocol, which is that of hiredis 0.14 too. Connections are made when they are first
/// needed.
public final class FleetEngine: Sendable {
    /// The work that a call belongs to; each has threads of its own, so that many bodies that are stored do not hold up
    /// look-ups.
    enum Lane {
        case lookUp, change
    }

    /// The number of changes at the same time.
    static let changeCount = 2

    let configuration: Configuration
    let topology: EngineTopology
    private let lookUps: WorkQueue
    private let changes: WorkQueue
    /// The messages of the engine's channels, for all that use this engine.
    let channel: EngineChannel

    /// Creates an engine that a URL describes; nothing is connected yet.
    ///
    /// - Parameter url: See ``Configuration/init(_:)``.
    /// - Throws: ``FleetError/invalidURL(_:)``.
    public convenience init(_ url: String) throws(FleetError) {
        self.init(try Configuration(url))
    }

    /// Creates an engine; nothing is connected yet.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        topology = EngineTopology(configuration, threads: WorkQueue(name: "halcyon.fleet-connecting", width: 4))
        lookUps = WorkQueue(name: "halcyon.fleet", width: configuration.connectionCount)
        changes = WorkQueue(name: "halcyon.fleet-changes", width: Self.changeCount)
        channel = EngineChannel(topology: topology, configuration: configuration)
    }

    deinit {
        channel.close()
        topology.close()
    }

    /// `true` if connections can be encrypted on this system: `libhiredis_ssl` is installed, in the version of hiredis.
    public static var canEncrypt: Bool { EngineConnection.encryptionProblem == nil }

    /// Asks the engine for an answer, as a check of its health.
    ///
    /// - Parameter deadline: The time for it. Default: that of ``Configuration/connectionDeadline``, so that the first
    ///   connection finds place in it.
    /// - Throws: ``FleetError``; `CancellationError`.
    public func ping(deadline: Duration? = nil) async throws {
        _ = try await perform(
            [EngineCommand("PING")],
            key: nil,
            deadline: deadline ?? configuration.connectionDeadline
        )[0].checked()
    }

    /// Sends commands about one key, or keys of one hash tag, one behind the other, and returns the reply of each. An error
    /// reply of a single command is not thrown.
    ///
    /// - Parameters:
    ///   - key: The key; `nil` if any node can answer.
    ///   - lane: Default: the one of look-ups.
    ///   - isRepeatable: `true` if the commands may be sent once more when the connection was lost. Default: `true`.
    ///   - limits: The bounds of the replies. Default: those without bodies.
    ///   - deadline: The time of the call, from now on. Default: that of the lane.
    /// - Throws: ``FleetError``; `CancellationError`.
    func perform(
        _ commands: [EngineCommand],
        key: String?,
        lane: Lane = .lookUp,
        isRepeatable: Bool = true,
        limits: EngineConnection.Limits = .small,
        deadline: Duration? = nil,
        priority: PriorityBox = PriorityBox(.normal)
    ) async throws -> [EngineReply] {
        let time = deadline ?? (lane == .lookUp ? configuration.deadline : configuration.changeDeadline)
        let end = ContinuousClock.now + time
        let queue = lane == .lookUp ? lookUps : changes
        return try await queue.run(priority: priority) { [topology] flag in
            try flag.check()
            return try Self.call(commands, key, isRepeatable, limits, until: end, topology)
        }
    }

    /// Does the same on the calling thread, which it blocks.
    static func call(
        _ commands: [EngineCommand],
        _ key: String?,
        _ isRepeatable: Bool,
        _ limits: EngineConnection.Limits,
        until deadline: ContinuousClock.Instant,
        _ topology: EngineTopology
    ) throws(FleetError) -> [EngineReply] {
        var node: EngineNode?
        var isAsking = false
        var hasRepeated = false
        while true {
            guard ContinuousClock.now < deadline else { throw .deadlineExceeded }
            let target: EngineNode
            if let node { target = node } else { target = try topology.node(for: key, until: deadline) }
            try target.admit()
            var isReused = false
            let replies: [EngineReply]
            do throws(FleetError) {
                let (connection, generation, wasUsed) = try target.connection(until: deadline)
                isReused = wasUsed
                let all = isAsking ? commands.flatMap { [EngineCommand("ASKING"), $0] } : commands
                let answers = try connection.call(all, limits: limits, until: deadline)
                target.succeed(connection, from: generation)
                replies = isAsking ? answers.indices.filter { $0 % 2 == 1 }.map { answers[$0] } : answers
            } catch {
                // No failure of the node, which would hide the reason behind an open breaker.
                if case .encryptionUnavailable = error { throw error }
                // The node has answered; the connection is not read any further.
                if case .replyTooLarge = error {
                    target.answered()
                    throw error
                }
                target.fail()
                topology.lose(target)
                // A node that has gone since, such as one that was restarted.
                if isReused, isRepeatable, !hasRepeated, case .unreachable = error {
                    hasRepeated = true
                    target.disconnect()
                    continue
                }
                throw error
            }
            if let redirection = replies.lazy.compactMap(\.redirection).first {
                node = try topology.redirect(redirection, from: target)
                isAsking = redirection.isForOnce
                continue
            }
            if replies.contains(where: \.isOfReplica) {
                // It was the primary before a failover.
                target.disconnect()
                topology.lose(target)
            }
            return replies
        }
    }
}

extension EngineReply {
    /// `true` for the error of a node that is no primary.
    fileprivate var isOfReplica: Bool {
        if case .error(let text) = self { text.hasPrefix("READONLY") || text.hasPrefix("MASTERDOWN") } else { false }
    }
}
