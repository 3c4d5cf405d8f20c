internal import HalcyonConcurrency
internal import HalcyonStore

/// Reports the failures of a disk cache, each distinct one once.
final class DiskFaultReport: Sendable {
    private let folder: String
    private let handler: (@Sendable (ImageError) -> Void)?
    private let reported = Lock<Set<String>>([])

    init(folder: String, handler: (@Sendable (ImageError) -> Void)?) {
        self.folder = folder
        self.handler = handler
    }

    /// Calls the handler, unless an equal failure was reported before.
    func report(_ error: any Error) {
        guard let handler else { return }
        let text = (error as? DiskCacheError)?.description ?? "\(error)"
        guard reported.withLock({ $0.insert(text).inserted }) else { return }
        handler(ImageError(stage: .store, reason: .diskCache(text), source: folder))
    }
}
