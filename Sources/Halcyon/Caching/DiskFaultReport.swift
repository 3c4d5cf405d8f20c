internal import HalcyonCodecs
internal import HalcyonStore
internal import HalcyonSystem

/// Reports the failures to store something on disk, each kind once.
final class DiskFaultReport: Sendable {
    private let folder: String
    private let handler: (@Sendable (ImageError) -> Void)?
    /// The kinds of failures that were reported. What differs from one failure to the next, such as a path or a size, is no part
    /// of a kind, so that there are only a few.
    private let reported = Lock<Set<String>>([])

    init(folder: String, handler: (@Sendable (ImageError) -> Void)?) {
        self.folder = folder
        self.handler = handler
    }

    /// Calls the handler, unless a failure of this kind was reported before.
    func report(_ error: any Error) {
        guard let handler else { return }
        let (kind, stage, reason): (String, ImageError.Stage, ImageError.Reason) =
            switch error {
            case let error as DiskCacheError:
                ("\(error.operation) \(error.code) \(error.indexCode)", .store, .diskCache(error.description))
            case let error as CodecError:
                (error.code, .encode, .codec(error))
            case let error as SerializationError:
                ("serializer \(error.stage)", error.stage, .serialization(error.reason))
            default:
                ("other", .store, .diskCache("\(error)"))
            }
        guard reported.withLock({ $0.insert(kind).inserted }) else { return }
        handler(ImageError(stage: stage, reason: reason, source: folder))
    }
}
