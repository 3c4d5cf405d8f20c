internal import FoundationEssentials
internal import HalcyonConcurrency

/// Holds what has arrived until someone reads it.
final class StreamReceiver: TransferReceiver {
    /// The transfer pauses while more than this is unread.
    private static let highWater = 256 << 10

    private struct State {
        var response: TransferResponse?
        var chunks: [Data] = []
        var nextChunk = 0
        var unreadBytes = 0
        var isPaused = false
        var result: Result<TransferMetrics, TransferError>?
        /// Readers and askers for the head that wait for news; each looks again when woken.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private enum Reading {
        case chunk(Data, mustResume: Bool)
        case end
        case failure(TransferError)
        case wait
    }

    let latch = CancellationLatch()
    private let state = Lock(State())

    var metrics: TransferMetrics? {
        state.withLock { try? $0.result?.get() }
    }

    // MARK: The transport's thread

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

    // MARK: The reader

    func response() async throws -> TransferResponse {
        try await withTaskCancellationHandler {
            while true {
                let (response, result) = state.withLock { ($0.response, $0.result) }
                if let response { return response }
                if case .failure(let error) = result { throw error }
                if result != nil { throw TransferError.malformedResponse("the transfer ended without a response") }
                await news { $0.response == nil && $0.result == nil }
            }
        } onCancel: {
            latch.cancel()
        }
    }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            while true {
                switch state.withLock({ StreamReceiver.read(&$0) }) {
                case .chunk(let chunk, let mustResume):
                    if mustResume { latch.transfer?.resume() }
                    return chunk
                case .end: return nil
                case .failure(let error): throw error
                case .wait: await news { $0.chunks.isEmpty && $0.result == nil }
                }
            }
        } onCancel: {
            latch.cancel()
        }
    }

    private static func read(_ state: inout State) -> Reading {
        // What was cancelled is not worth reading on.
        if case .failure(.cancelled) = state.result { return .failure(.cancelled) }
        guard state.nextChunk < state.chunks.count else {
            switch state.result {
            case nil: return .wait
            case .success: return .end
            case .failure(let error): return .failure(error)
            }
        }
        let chunk = state.chunks[state.nextChunk]
        state.chunks[state.nextChunk] = Data()
        state.nextChunk += 1
        state.unreadBytes -= chunk.count
        // What has been read is dropped now and then, not each time, so that reading takes constant time.
        if state.nextChunk == state.chunks.count || state.nextChunk >= 64 {
            state.chunks.removeFirst(state.nextChunk)
            state.nextChunk = 0
        }
        let mustResume = state.isPaused && state.unreadBytes <= highWater / 2
        if mustResume { state.isPaused = false }
        return .chunk(chunk, mustResume: mustResume)
    }

    /// Waits until something changes, unless `isUnchanged` is false by now.
    private func news(while isUnchanged: @Sendable (borrowing State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard isUnchanged(state) else { return false }
                state.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
