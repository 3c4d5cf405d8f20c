internal import HalcyonSystem

/// The previews of one load, for any number of readers.
///
/// Readers ask for the next preview that is better than the one they had. So each gets the best at that moment, none gets
/// a worse one after a better one, and none gets one after the end of the load, which drops previews that were not read.
final class PreviewFeed: Sendable {
    private struct State {
        var best: ImagePreview?
        var isFinished = false
        var waiters: [UInt64: CheckedContinuation<ImagePreview?, Never>] = [:]
        var nextID: UInt64 = 0

        /// Removes all waiters. They are resumed once the lock is released.
        mutating func takeWaiters() -> [CheckedContinuation<ImagePreview?, Never>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let state = Lock(State())

    init() {}

    /// The best preview so far; `nil` once the load has ended.
    var best: ImagePreview? { state.withLock { $0.isFinished ? nil : $0.best } }

    /// Hands out a preview, unless there is a better one, or the load has ended.
    func send(_ preview: ImagePreview) {
        typealias Sent = (waiters: [CheckedContinuation<ImagePreview?, Never>], replaced: ImagePreview?)
        let sent = state.withLock { state -> Sent in
            guard !state.isFinished, preview.rank > state.best?.rank ?? .none else { return ([], nil) }
            let replaced = state.best
            state.best = preview
            return (state.takeWaiters(), replaced)
        }
        for waiter in sent.waiters { waiter.resume(returning: preview) }
        // Released without the lock.
        withExtendedLifetime(sent.replaced) {}
    }

    /// Ends the feed.
    func finish() {
        let (waiters, best) = state.withLock { state in
            state.isFinished = true
            let best = state.best
            state.best = nil
            return (state.takeWaiters(), best)
        }
        for waiter in waiters { waiter.resume(returning: nil) }
        // Released without the lock.
        withExtendedLifetime(best) {}
    }

    /// Returns the best preview of more than a rank; waits for one.
    ///
    /// - Returns: `nil` once the load has ended, or the calling task is cancelled.
    func next(above rank: ImagePreview.Rank) async -> ImagePreview? {
        // Set when the task is cancelled; the second of joining and leaving sees the first.
        let cancellation = CancellationFlag()
        let id = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isAnswered, preview) = state.withLock { state -> (Bool, ImagePreview?) in
                    if state.isFinished || cancellation.isCancelled { return (true, nil) }
                    if let best = state.best, best.rank > rank { return (true, best) }
                    state.waiters[id] = continuation
                    return (false, nil)
                }
                if isAnswered { continuation.resume(returning: preview) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                cancellation.cancel()
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.resume(returning: nil)
        }
    }

    /// The best preview so far, then each better one, until the load ends.
    var stream: AsyncStream<ImagePreview> {
        let rank = Lock(ImagePreview.Rank.none)
        return AsyncStream(unfolding: { [self] in
            let preview = await next(above: rank.withLock { $0 })
            if let preview { rank.withLock { $0 = preview.rank } }
            return preview
        })
    }
}
