internal import FoundationEssentials
internal import HalcyonSystem

/// Holds bytes that have arrived until they are read.
final class StreamReceiver: TransferReceiver {
    /// The transfer pauses while more than this is unread.
    static let highWater = 256 << 10

    struct State {
        var response: TransferResponse?
        var chunks: [Data] = []
        var nextChunk = 0
        var unreadBytes = 0
        var isPaused = false
        var result: Result<TransferMetrics, TransferError>?
        /// The waits for a head or a piece; each looks again when woken.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let handle = TransferHandle()
    let state = Lock(State())

    var metrics: TransferMetrics? {
        state.withLock { try? $0.result?.get() }
    }

    func didReceive(response: TransferResponse) {
        change { $0.response = response }
    }

    func didReceive(bytes: UnsafeRawBufferPointer) -> TransferDemand {
        let chunk = Data(bytes)
        return change { state in
            state.chunks.append(chunk)
            state.unreadBytes += chunk.count
            state.isPaused = state.unreadBytes > StreamReceiver.highWater
            return state.isPaused ? .pause : .proceed
        }
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        change { $0.result = result }
    }

    private func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, waiters) = state.withLock { state in
            let answer = body(&state)
            defer { state.waiters = [] }
            return (answer, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return answer
    }
}
