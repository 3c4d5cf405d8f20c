internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The calls that wait for a downloader: for hooks, for their turn, or for the body. They can be cancelled
/// by URL, or all together.
final class DownloadCalls: Sendable {
    private struct State {
        var calls: [Int: DownloadCall] = [:]
        var nextID = 0
        var isShutDown = false
    }

    private let state = Lock(State())

    /// The number of calls.
    var count: Int { state.withLock { $0.calls.count } }

    /// Records a call; returns `nil` after ``shutDown()``.
    func begin(_ url: URL) -> DownloadCall? {
        state.withLock { state in
            guard !state.isShutDown else { return nil }
            state.nextID += 1
            let call = DownloadCall(id: state.nextID, url: url)
            state.calls[state.nextID] = call
            return call
        }
    }

    func end(_ call: DownloadCall) {
        _ = state.withLock { $0.calls.removeValue(forKey: call.id) }
    }

    func cancel(_ url: URL) {
        let calls = state.withLock { Array($0.calls.values) }
        for call in calls where call.concerns(url) {
            call.cancel()
        }
    }

    func cancelAll() {
        let calls = state.withLock { Array($0.calls.values) }
        for call in calls {
            call.cancel()
        }
    }

    /// Cancels all calls and admits no further ones.
    func shutDown() {
        state.withLock { $0.isShutDown = true }
        cancelAll()
    }
}

/// One waiting call. It can be cancelled at any time, also before the work has begun.
final class DownloadCall: Sendable {
    let id: Int
    /// What the call waits for.
    let wait = CancellableWait()
    private let urls: Lock<[URL]>

    init(id: Int, url: URL) {
        self.id = id
        urls = Lock([url])
    }

    /// Records that the request now leads to another URL.
    func note(_ url: URL) {
        urls.withLock { urls in
            if !urls.contains(url) { urls.append(url) }
        }
    }

    /// Returns whether this call asks for `url`, before or after its request was modified.
    func concerns(_ url: URL) -> Bool {
        urls.withLock { $0.contains(url) }
    }

    func cancel() {
        wait.cancel()
    }
}
