import HalcyonSystem

@testable import Halcyon

/// Keeps the events of loads, as short texts.
final class RecordingObserver: LoadObserving {
    private let observations = Lock<[LoadObservation]>([])

    func observe(_ observation: LoadObservation) {
        observations.withLock { $0.append(observation) }
    }

    var all: [LoadObservation] { observations.withLock { $0 } }

    /// The events, in the order in which they came.
    var texts: [String] { all.map(\.text) }

    /// The events of each load, in the order of the loads.
    var textsByLoad: [[String]] {
        Dictionary(grouping: all, by: \.load).sorted { $0.key < $1.key }.map { $0.value.map(\.text) }
    }

    static func == (left: RecordingObserver, right: RecordingObserver) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension LoadObservation {
    /// A text such as "disk original miss", with "shared" before that of work which another load has begun.
    var text: String { (isShared ? "shared " : "") + activity.text }
}

extension LoadActivity {
    fileprivate var text: String {
        switch self {
        case .began: "began"
        case .lookedUpMemory(let isFound): "memory \(isFound ? "hit" : "miss")"
        case .lookedUpDisk(let content, let isFound, _, _): "disk \(content.rawValue) \(isFound ? "hit" : "miss")"
        case .joined(let work): "joined \(work.rawValue)"
        case .hooksWithoutIdentity(let hooks): "no identity \(hooks)"
        case .unregisteredFormat(let format): "unregistered \(format.name)"
        case .decodedInProgram(let format, _): "decoded \(format.name) in the program"
        case .transferBegan: "transfer"
        case .transferred(let report):
            report.isCancelled ? "transfer cancelled" : "received \(report.status.map { "\($0)" } ?? "nothing")"
        case .read(let byteCount, _): "read \(byteCount)"
        case .retrying(let error): "retrying \(error.code)"
        case .tryingAlternative(_, let error): "alternative \(error.code)"
        case .decoded(_, let size, _): "decoded \(size)"
        case .processed(let processor, let size, _): "\(processor) \(size)"
        case .encoded(let format, _, _): "encoded \(format.name)"
        case .storedInMemory: "stored memory"
        case .storedOnDisk(let content): "stored \(content.rawValue)"
        case .ended(.succeeded(let source), _): "ended \(source.rawValue)"
        case .ended(.failed(let error), _): "failed \(error.code)"
        case .ended(.cancelled, _): "cancelled"
        }
    }
}
