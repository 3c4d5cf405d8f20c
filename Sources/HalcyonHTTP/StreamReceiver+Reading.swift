internal import FoundationEssentials
internal import HalcyonSystem

/// The functions of the reader.
extension StreamReceiver {
    private enum Reading {
        case chunk(Data, mustResume: Bool)
        case end
        case failure(TransferError)
        case wait
    }

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
            handle.cancel()
        }
    }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            while true {
                switch state.withLock({ StreamReceiver.read(&$0) }) {
                case .chunk(let chunk, let mustResume):
                    if mustResume { handle.resume() }
                    return chunk
                case .end: return nil
                case .failure(let error): throw error
                case .wait: await news { $0.chunks.isEmpty && $0.result == nil }
                }
            }
        } onCancel: {
            handle.cancel()
        }
    }

    private static func read(_ state: inout State) -> Reading {
        // A cancelled transfer is not read further.
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
        // Pieces that have been read are dropped now and then, not each time, so that reading takes constant time.
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
