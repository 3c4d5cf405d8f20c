internal import FoundationEssentials
internal import HalcyonSystem

/// An image that a machine of a fleet is to load.
public struct PrefetchJob: Sendable, Hashable, Codable {
    /// The address of the image.
    public var source: String
    /// What is made of it, in the words of the program; empty for the image as it is. Default: empty.
    public var variant: String
    /// `true` to load it before those that are not urgent. It is no part of its identity. Default: `false`.
    public var isUrgent: Bool

    /// Creates a job.
    public init(source: String, variant: String = "", isUrgent: Bool = false) {
        self.source = source
        self.variant = variant
        self.isUrgent = isUrgent
    }

    /// The name of the job: equal jobs are in a queue once.
    var id: String { String(SHA256.hexadecimal(of: Array("\(source)\0\(variant)".utf8)).prefix(32)) }

    var encoded: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    init?(_ data: Data) {
        guard let job = try? JSONDecoder().decode(PrefetchJob.self, from: data) else { return nil }
        self = job
    }
}

/// How the work on a job ended.
public enum PrefetchOutcome: Sendable, Hashable {
    /// The result is where all machines find it, or was there.
    case shared
    /// The result is on the disk of this machine alone, as the shared tier does not have it.
    case local
    /// There is none; with the reason.
    ///
    /// - Parameter isFinal: `true` if trying again is of no use, such as for a status 404. Otherwise another attempt follows
    ///   later, up to ``PrefetchQueue/Configuration/attemptLimit``.
    case failed(String, isFinal: Bool)
}

/// The state of a queue, over all machines.
public struct PrefetchQueueProgress: Sendable, Hashable {
    /// The jobs that were added since the queue began.
    public var addedCount = 0
    /// The jobs that wait.
    public var waitingCount = 0
    /// The jobs that machines work on, or whose attempt has failed and is followed by another.
    public var runningCount = 0
    /// The jobs that are done.
    public var doneCount = 0
    /// Of the jobs that are done, those whose result is on the disk of the machine that did them alone.
    public var localCount = 0
    /// The jobs that were given up.
    public var failedCount = 0
    /// The machines, or processes of them, that work on jobs or have done so within a minute.
    public var workerCount = 0

    /// `true` if nothing waits, and nothing is worked on.
    public var isEmpty: Bool { waitingCount == 0 && runningCount == 0 }

    /// Creates the state of an empty queue.
    public init() {}
}

/// A job that was given up.
public struct FailedPrefetchJob: Sendable, Hashable {
    /// The job.
    public let job: PrefetchJob
    /// The reason of the last attempt, or that its machine did not return.
    public let reason: String
    /// The number of attempts.
    public let attemptCount: Int
}
