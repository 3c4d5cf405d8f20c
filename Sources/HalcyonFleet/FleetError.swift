/// A failure of what machines share: the engine, or this side of it. No credential is in it.
public enum FleetError: Error, Sendable, Hashable {
    /// The URL does not name an engine; the text says what is wrong.
    case invalidURL(String)
    /// Connections cannot be encrypted on this system; the text says which library is missing.
    case encryptionUnavailable(String)
    /// The engine at an address (`host:port`) cannot be connected to, or has closed the connection; with the reason.
    case unreachable(String, reason: String)
    /// The call did not end in its time.
    case deadlineExceeded
    /// The engine at an address failed repeatedly, so that it is asked once a second only, and not by this call.
    case circuitOpen(String)
    /// The engine answered with an error, such as `NOPERM`, which is the text.
    case refused(String)
    /// The engine cannot answer at the moment: it is loading, failing over, or knows no node for the key. The text is its
    /// error.
    case unavailable(String)
    /// The reply is larger than this call accepts.
    case replyTooLarge
    /// The engine does not speak its protocol, or its reply is not the one of the command; the text says what came.
    case invalidReply(String)
    /// The Sentinels or the nodes that are known name no primary.
    case noPrimary
    /// The engine may evict jobs: its `maxmemory-policy` is this one, and a queue needs `noeviction`.
    case evicting(policy: String)
    /// The queue has as many jobs as it may have.
    case queueFull(limit: Int)
    /// The object was closed.
    case closed
}

extension FleetError: CustomStringConvertible {
    /// What was tried, what went wrong, and what to do.
    public var description: String {
        switch self {
        case .invalidURL(let problem):
            "the engine's URL cannot be used: \(problem); one is redis://user:password@host:6379/0"
        case .encryptionUnavailable(let problem): "connections of rediss:// cannot be encrypted: \(problem)"
        case .unreachable(let address, let reason): "the engine at \(address) cannot be reached: \(reason)"
        case .deadlineExceeded: "the engine did not answer in time"
        case .circuitOpen(let address): "the engine at \(address) has failed repeatedly, and is tried once a second"
        case .refused(let text): "the engine refused: \(text)"
        case .unavailable(let text): "the engine cannot answer now: \(text)"
        case .replyTooLarge: "the engine's reply is larger than expected"
        case .invalidReply(let text): "the engine's reply is not understood: \(text)"
        case .noPrimary: "no primary engine is known"
        case .evicting(let policy):
            "the engine may evict jobs (maxmemory-policy \(policy)); a queue needs one with noeviction"
        case .queueFull(let limit): "the queue has \(limit) jobs, which is its limit"
        case .closed: "it was closed"
        }
    }
}

extension FleetError {
    /// `true` if the same call may succeed later, as nothing but the state of the engine or of the network is in the way.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .deadlineExceeded, .circuitOpen, .unavailable, .invalidReply, .noPrimary, .queueFull: true
        // The engine is full, but others may take something from it.
        case .refused(let text): text.hasPrefix("OOM")
        case .invalidURL, .encryptionUnavailable, .replyTooLarge, .evicting, .closed: false
        }
    }

    /// `true` if the connection is lost, or the protocol on it out of step.
    var losesConnection: Bool {
        switch self {
        case .unreachable, .deadlineExceeded, .replyTooLarge, .invalidReply: true
        default: false
        }
    }
}
