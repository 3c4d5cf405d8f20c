import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// A downloader with a scripted transport and a log of its events.
final class TestDownloader: Sendable {
    let transport = ScriptedTransport()
    let log = EventLog()
    let downloader: ImageDownloader

    init(_ policy: NetworkPolicy = NetworkPolicy()) {
        downloader = ImageDownloader(
            transport: transport,
            configuration: .init(policy: policy, onEvent: { [log] in log.add($0) })
        )
    }

    /// Waits until this many callers wait for transfers.
    func waiters(_ count: Int) async {
        await eventually { [downloader] in downloader.transfers.waiterCount == count }
    }

    /// Waits until every download has ended, so that every event has been sent.
    func settle() async {
        await eventually { [downloader, log] in
            downloader.calls.count == 0 && downloader.transfers.count == 0 && log.startCount == log.finishCount
        }
    }
}

/// A log of events in their order, as words.
final class EventLog: Sendable {
    private let events = Lock<[ImageDownloader.Event]>([])

    func add(_ event: ImageDownloader.Event) {
        events.withLock { $0.append(event) }
    }

    var all: [ImageDownloader.Event] { events.withLock { $0 } }

    var startCount: Int { words.count { $0 == "started" } }

    var finishCount: Int { words.count { $0.hasPrefix("finished") } }

    var words: [String] {
        all.map { event in
            switch event.kind {
            case .started: "started"
            case .responded(let response): "responded \(response.status)"
            case .finished(.success): "finished"
            case .finished(.failure(let error as ImageError)): "finished \(error.code)"
            case .finished(.failure): "finished cancelled"
            }
        }
    }
}

extension NetworkPolicy {
    /// Returns the defaults with a change.
    static func with(_ change: (inout NetworkPolicy) -> Void) -> NetworkPolicy {
        var policy = NetworkPolicy()
        change(&policy)
        return policy
    }
}

/// Returns the reason of a failure, if there is one and it is an error of this library.
func reason<Value>(of body: () async throws -> Value) async -> ImageError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? ImageError)?.reason
    }
}
