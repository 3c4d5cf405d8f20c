#if Observability
public import Halcyon
public import Logging

/// Writes the events of loads to a log.
///
/// A load that failed, or that hooks keep out of caches, is logged as a warning, the ends of all others at `info`, every other event at `debug`, and looks into
/// caches at `trace`. Sources are named without what may be secret in them; see ``LoadObservation/sourceName``.
///
/// Metadata: `halcyon.load` is the number of the load, `halcyon.source` the source, `halcyon.shared` is "true" for work
/// that another load has begun.
public final class LogObserver: LoadObserving {
    private let logger: Logger

    /// An observer that writes to a logger.
    ///
    /// - Parameter logger: Default: one with the label "halcyon".
    public init(_ logger: Logger = Logger(label: "halcyon")) {
        self.logger = logger
    }

    /// Writes an event.
    public func observe(_ observation: LoadObservation) {
        let level = observation.activity.level
        guard level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "halcyon.load": "\(observation.load)",
            "halcyon.source": "\(observation.sourceName)",
        ]
        if observation.isShared { metadata["halcyon.shared"] = "true" }
        logger.log(level: level, "\(observation.activity.message)", metadata: metadata)
    }

    /// Returns whether both are the same observer.
    public static func == (left: LogObserver, right: LogObserver) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension LoadActivity {
    fileprivate var level: Logger.Level {
        switch self {
        case .ended(.failed, _), .hooksWithoutIdentity, .unregisteredFormat, .decodedInProgram: .warning
        case .ended: .info
        case .lookedUpMemory, .lookedUpDisk: .trace
        default: .debug
        }
    }

    fileprivate var message: String {
        switch self {
        case .began: "began"
        case .lookedUpMemory(let isFound): isFound ? "found in memory" : "not in memory"
        case .lookedUpDisk(let content, true, let byteCount, let duration):
            "\(content.rawValue) found on disk: \(byteCount) bytes in \(duration)"
        case .lookedUpDisk(let content, false, _, let duration):
            "\(content.rawValue) not on disk, \(duration)"
        case .joined(let work): "joined the \(work.rawValue) of another load"
        case .hooksWithoutIdentity(let type): "kept in no cache: \(type) has no cacheIdentity"
        case .unregisteredFormat(let format): "\(CodecError.unregistered(format))"
        case .decodedInProgram(let format, let error): "\(format.name) is decoded in the program: \(error)"
        case .transferBegan: "transfer began"
        case .transferred(let report): report.message
        case .read(let byteCount, let duration): "read \(byteCount) bytes in \(duration)"
        case .retrying(let error): "trying again after: \(error.code)"
        case .tryingAlternative(_, let error): "trying another source after: \(error.code)"
        case .decoded(let format, let size, let duration):
            "decoded \(size) of \(format?.name ?? "a stored result") in \(duration)"
        case .processed(let processor, let size, let duration): "\(processor) made \(size) in \(duration)"
        case .encoded(let format, let byteCount, let duration):
            "encoded \(byteCount) bytes of \(format.name) in \(duration)"
        case .storedInMemory: "stored in memory"
        case .storedOnDisk(let content): "\(content.rawValue) stored on disk"
        case .ended(.succeeded(let source), let duration): "loaded from \(source.rawValue) in \(duration)"
        // Without the text of the error, which may name a URL with its query.
        case .ended(.failed(let error), let duration):
            "failed at \(error.stage.rawValue) after \(duration): \(error.code)"
        case .ended(.cancelled, let duration): "cancelled after \(duration)"
        }
    }
}

extension TransferReport {
    fileprivate var message: String {
        if isCancelled { return "transfer cancelled after \(duration)" }
        if let error { return "transfer failed after \(duration): \(error.code)" }
        return "received \(byteCount) bytes with status \(status ?? 0) in \(duration)"
    }
}
#endif
