internal import Glibc

/// An error of decoding in a process of its own that is none of the image's format.
public enum IsolationError: Error, Sendable, Hashable {
    /// The worker ended, or was ended, while it had the image.
    case workerLost(WorkerLoss)
    /// The same bytes ended a worker in the last ten minutes, and are not decoded again.
    case refused(WorkerLoss)
    /// No worker could be started at all.
    case unavailable(reason: String)
    /// Worker after worker ended as it started, so that none is started for now.
    case crashing(workersLost: Int)
    /// A worker cannot protect the program as required.
    case notReached(required: IsolationSet, IsolationReport)
    /// The image takes more bytes than the request allows.
    case outputTooLarge(byteCount: Int, maximum: Int)
    /// The input could not be passed to a worker.
    case cannotShare(reason: String)
    /// No worker has a decoder of this type: those of a program of its own are given to `HalcyonWorker.runIfAsked(codecs:)`.
    case noDecoder(type: String)
}

/// The end of a worker.
public struct WorkerLoss: Error, Sendable, Hashable {
    /// The name of the image's format.
    public let format: String
    /// The name of the image's file or URL, if it was given.
    public let file: String?
    /// The cause.
    public let cause: Cause
    /// The protection that the worker had.
    public let reached: IsolationSet

    /// The end of a worker.
    public init(format: String, file: String?, cause: Cause, reached: IsolationSet) {
        self.format = format
        self.file = file
        self.cause = cause
        self.reached = reached
    }

    /// The cause of a worker's end.
    public enum Cause: Sendable, Hashable {
        /// A signal, such as that of a wrong memory access. `SIGKILL` is also that of a machine without memory.
        case signal(Int32)
        /// A system call that no decoder makes.
        case systemCall(number: Int32)
        /// The image took longer than it may.
        case time
        /// The image took more processor time than it may.
        case processorTime
        /// The worker's answer is not one to what it was asked.
        case answer(reason: String)
        /// The worker ended by itself.
        case exit(status: Int32)
        /// The worker ended for a reason that could not be learned.
        case unknown
    }
}

extension IsolationError {
    /// A Boolean value that indicates whether the image is the reason, and not the machine: another one would fail likewise.
    public var isOfImage: Bool {
        switch self {
        case .workerLost(let loss), .refused(let loss): loss.cause != .time && loss.cause != .unknown
        case .outputTooLarge: true
        case .unavailable, .crashing, .notReached, .cannotShare, .noDecoder: false
        }
    }
}

extension IsolationError: CustomStringConvertible {
    /// What was tried, and what went wrong.
    public var description: String {
        switch self {
        case .workerLost(let loss): "\(loss)"
        case .refused(let loss): "\(loss) before, and is not decoded again for some minutes"
        case .unavailable(let reason): "no worker for decoding can be started: \(reason)"
        case .crashing(let count): "no worker is started for now, because the last \(count) ended as they started"
        case .notReached(let required, let report):
            "decoding requires the protection \(required), but has \(report.reached)"
                + (report.reasons.isEmpty ? "" : " (\(report.reasons.joined(separator: "; ")))")
        case .outputTooLarge(let byteCount, let maximum): "the image takes \(byteCount) bytes, more than \(maximum)"
        case .cannotShare(let reason): "the file cannot be passed to a worker: \(reason)"
        case .noDecoder(let type): "no process that decodes has \(type)"
        }
    }
}

extension WorkerLoss: CustomStringConvertible {
    /// The image, and the cause.
    public var description: String {
        "\(file.map { "\($0) (\(format))" } ?? "an image (\(format))") ended its decoder: \(cause)"
    }
}

extension WorkerLoss.Cause: CustomStringConvertible {
    /// The cause in words.
    public var description: String {
        switch self {
        case .signal(SIGKILL): "signal 9 (killed, perhaps because memory ran out)"
        case .signal(let number): "signal \(number) (\(String(cString: strsignal(number))))"
        case .systemCall(let number): "it made the system call \(number), which is refused"
        case .time: "it took longer than it may"
        case .processorTime: "it took more processor time than it may"
        case .answer(let reason): "its answer makes no sense: \(reason)"
        case .exit(let status): "it ended by itself with status \(status)"
        case .unknown: "for an unknown reason"
        }
    }
}
