internal import HalcyonHTTP
internal import HalcyonSystem

/// The previews of one load, for any number of readers.
///
/// Readers ask for the next preview that is better than the one they had. So each gets the best at that moment, none gets
/// a worse one after a better one, and none gets one after the end of the load, which drops previews that were not read.
final class PreviewFeed: Sendable {
    private struct State {
        var best: ImagePreview?
        /// The number of previews that were the best when they came.
        var count = 0
        var isFinished = false
    }

    private let state = Lock(State())
    private let arrivals = BodyArrivals()

    init() {}

    /// The best preview so far; `nil` once the load has ended.
    var best: ImagePreview? { state.withLock { $0.best } }

    /// Hands out a preview, unless there is a better one, or the load has ended.
    func send(_ preview: ImagePreview) {
        let (count, replaced) = state.withLock { state -> (Int, ImagePreview?) in
            guard !state.isFinished, state.best.map({ preview.rank > $0.rank }) ?? true else { return (0, nil) }
            defer { state.best = preview }
            state.count += 1
            return (state.count, state.best)
        }
        arrivals.note(count)
        // Released without the lock.
        withExtendedLifetime(replaced) {}
    }

    /// Ends the feed.
    func finish() {
        let best = state.withLock { state in
            defer { (state.best, state.isFinished) = (nil, true) }
            return state.best
        }
        arrivals.end()
        // Released without the lock.
        withExtendedLifetime(best) {}
    }

    /// Returns the best preview after the first `count`, and the number of those until then; waits for one.
    ///
    /// - Returns: `nil` once the load has ended, or the calling task is cancelled.
    func next(after count: Int) async -> (preview: ImagePreview, count: Int)? {
        await arrivals.wait(for: count + 1)
        guard !Task.isCancelled else { return nil }
        return state.withLock { state in state.best.map { ($0, state.count) } }
    }

    /// The best preview so far, then each better one, until the load ends.
    var stream: AsyncStream<ImagePreview> {
        let count = Lock(0)
        return AsyncStream(unfolding: { [self] in
            let next = await next(after: count.withLock { $0 })
            if let next { count.withLock { $0 = next.count } }
            return next?.preview
        })
    }
}
