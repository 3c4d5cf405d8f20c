internal import FoundationEssentials

extension BodyCollector {
    /// The head, once it has come and was accepted; `nil` if the transfer ended before.
    func head() async -> TransferResponse? {
        await withCheckedContinuation { continuation in
            let (isKnown, response) = state.withLock { state in
                let isKnown = state.response != nil || state.isComplete
                if !isKnown { state.headWaiter = continuation }
                return (isKnown, state.response)
            }
            if isKnown { continuation.resume(returning: response) }
        }
    }

    /// Ends the review. The transfer is paused, or ended, if it has sent anything meanwhile.
    func decide(_ refusal: (any Error)?) {
        let isAccepted = state.withLock { state -> Bool? in
            guard !state.isComplete else { return nil }
            // A load that was cancelled before is not the review's to decide: its answer may be no more than that.
            let refusal = state.isCancelled ? TransferError.cancelled : refusal
            state.refusal = refusal
            // Together with the refusal, so that a transfer that becomes known only now is cancelled as well.
            state.isCancelled = refusal != nil
            return refusal == nil
        }
        switch isAccepted {
        case nil: break
        case true?: goOn()
        case false?: giveUp()
        }
    }

    /// A good end that comes from now on is none, because there is a refusal.
    private func giveUp() {
        let (transfer, isOver) = state.withLock { state in
            state.heldPiece = nil
            return (state.transfer, state.heldMetrics != nil)
        }
        transfer?.cancel()
        if isOver { complete(.failure(.cancelled)) }
    }

    /// Takes what was held, and what comes meanwhile: the writer may wake the transfer before the held piece is taken.
    private func goOn() {
        var demand: TransferDemand?
        while let piece = nextHeldPiece() {
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(TransferError) in try take(bytes) }
            }
            switch result {
            case .success(let answer): demand = answer
            case .failure(let error): return decide(error)
            }
        }
        let metrics = state.withLock { $0.heldMetrics }
        if let metrics {
            complete(.success(metrics))
        } else if demand == .proceed {
            resumeTransfer()
        }
    }

    /// Without one, the review is over, and what comes from now on is taken at once.
    private func nextHeldPiece() -> Data? {
        state.withLock { state in
            state.isUndecided = state.heldPiece != nil
            defer { state.heldPiece = nil }
            return state.heldPiece
        }
    }
}
