#if Observability
public import CoreMetrics
public import Halcyon

/// Records the events of loads as metrics. Shared work counts once.
///
/// | metric | type | dimensions |
/// |---|---|---|
/// | `halcyon.load.duration` | timer | `outcome`: `memory`, `disk`, `network`, `file`, `data`, `failed`, `cancelled` |
/// | `halcyon.load.failures` | counter | `stage`, `reason`: ``ImageError/code`` |
/// | `halcyon.disk.lookups` | counter | `content`: `result`, `original`; `result`: `hit`, `miss` |
/// | `halcyon.disk.duration` | timer | `content` |
/// | `halcyon.transfer.duration` | timer | `status`: of three digits, `failed`, `cancelled` |
/// | `halcyon.transfer.received.bytes` | counter | – |
/// | `halcyon.shared` | counter | `work`: ``LoadActivity/SharedWork`` |
/// | `halcyon.retries`, `halcyon.alternatives` | counter | – |
/// | `halcyon.decode.duration` | timer | `format`: "result" for one of processors from disk |
/// | `halcyon.process.duration` | timer | `processor` |
/// | `halcyon.encode.duration` | timer | `format` |
public final class MetricsObserver: LoadObserving {
    private let factory: any MetricsFactory

    /// An observer that records in the metrics of a factory.
    ///
    /// - Parameter factory: Default: that of the `MetricsSystem`, which is to be bootstrapped before.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    /// Records an event.
    public func observe(_ observation: LoadObservation) {
        if observation.isShared { return }
        switch observation.activity {
        case .began, .lookedUpMemory, .hooksWithoutIdentity, .unregisteredFormat, .decodedInProgram, .transferBegan,
            .read,
            .storedInMemory, .storedOnDisk:
            break
        case .lookedUpDisk(let content, let isFound, _, let duration):
            let result = isFound ? "hit" : "miss"
            count("disk.lookups", [("content", content.rawValue), ("result", result)])
            record("disk.duration", duration, [("content", content.rawValue)])
        case .joined(let work): count("shared", [("work", work.rawValue)])
        case .transferred(let report):
            let status = report.isCancelled ? "cancelled" : report.status.map { "\($0)" } ?? "failed"
            record("transfer.duration", report.duration, [("status", status)])
            if let metrics = report.metrics { count("transfer.received.bytes", by: metrics.bytesReceived) }
        case .retrying: count("retries")
        case .tryingAlternative: count("alternatives")
        case .decoded(let format, _, let duration):
            record("decode.duration", duration, [("format", format?.name ?? "result")])
        case .processed(let processor, _, let duration):
            record("process.duration", duration, [("processor", processor)])
        case .encoded(let format, _, let duration): record("encode.duration", duration, [("format", format.name)])
        case .ended(let outcome, let duration):
            record("load.duration", duration, [("outcome", outcome.name)])
            if case .failed(let error) = outcome {
                count("load.failures", [("stage", error.stage.rawValue), ("reason", error.code)])
            }
        }
    }

    private func count(_ name: String, _ dimensions: [(String, String)] = [], by amount: Int = 1) {
        Counter(label: "halcyon.\(name)", dimensions: dimensions, factory: factory).increment(by: amount)
    }

    private func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)]) {
        let timer = CoreMetrics.Timer(label: "halcyon.\(name)", dimensions: dimensions, factory: factory)
        timer.recordNanoseconds(duration.nanoseconds)
    }

    /// Returns whether both are the same observer.
    public static func == (left: MetricsObserver, right: MetricsObserver) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension LoadActivity.Outcome {
    var name: String {
        switch self {
        case .succeeded(let source): source.rawValue
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

extension Duration {
    /// The duration in nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
#endif
