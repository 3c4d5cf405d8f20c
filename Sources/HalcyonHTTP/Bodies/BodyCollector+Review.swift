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

    /// Ends the review. The transfer is paused, or ended, if it has sent anything meanwhile, so that nobody else takes
    /// bytes now.
    func decide(_ refusal: (any Error)?) {
        typealias Held = (piece: Data?, metrics: TransferMetrics?, transfer: (any Transfer)?)
        let held = state.withLock { state -> Held? in
            guard !state.isComplete else { return nil }
            if let refusal { state.refusal = refusal } else { state.isUndecided = state.heldPiece != nil }
            defer { state.heldPiece = nil }
            return (state.heldPiece, state.heldMetrics, state.transfer)
        }
        guard let held else { return }
        if refusal != nil {
            state.withLock { $0.isCancelled = true }
            held.transfer?.cancel()
            if held.metrics != nil { complete(.failure(.cancelled)) }
            return
        }
        var demand = TransferDemand.proceed
        if let piece = held.piece {
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(TransferError) in try take(bytes) }
            }
            switch result {
            case .success(let answer):
                demand = answer
            case .failure(let error):
                return decide(error)
            }
            state.withLock { $0.isUndecided = false }
        }
        let metrics = state.withLock { $0.heldMetrics }
        if let metrics {
            complete(.success(metrics))
        } else if held.piece != nil, demand == .proceed {
            resumeTransfer()
        }
    }
}
