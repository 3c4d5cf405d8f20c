internal import FoundationEssentials

extension BodyCollector {
    /// Returns the head, once it has come and was accepted; `nil` if the transfer ended before.
    func head() async -> TransferResponse? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> TransferResponse?? in
                guard case .beginning = state else { return .some(state.head) }
                state = .beginning(headWaiter: continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Ends the review. The transfer is paused, or ended, if it has sent anything meanwhile.
    func decide(_ refusal: (any Error)?) {
        // A load that was cancelled before is not the review's to decide: its answer may be no more than that.
        let refusal = handle.isCancelled ? TransferError.cancelled : refusal
        guard let refusal else { return accept() }
        let metrics = state.withLock { state -> TransferMetrics?? in
            switch state {
            case .undecided(_, let body, let held), .catchingUp(_, let body, let held):
                state = .refused(refusal, body)
                return .some(held.metrics)
            case .beginning, .receiving, .refused, .ended:
                return nil
            }
        }
        guard let metrics else { return }
        handle.cancel()
        // A good end that came before is none, because there is a refusal.
        if metrics != nil { complete(.failure(.cancelled)) }
    }

    /// Takes the held bytes, and those that come meanwhile: the writer may wake the transfer before the held piece is
    /// taken.
    private func accept() {
        state.withLock { state in
            if case .undecided(let response, let body, let held) = state { state = .catchingUp(response, body, held) }
        }
        var demand: TransferDemand?
        while true {
            switch nextHeld() {
            case .piece(let piece):
                let result = piece.withUnsafeBytes { bytes in
                    Result { () throws(TransferError) in try take(bytes) }
                }
                switch result {
                case .success(let answer): demand = answer
                case .failure(let error): return decide(error)
                }
            case .end(let metrics):
                return complete(.success(metrics))
            case .nothing:
                if demand == .proceed { handle.resume() }
                return
            }
        }
    }

    private enum NextHeld {
        case piece(Data)
        case end(TransferMetrics)
        case nothing
    }

    /// Returns the held bytes, the pieces first. After those the review is over, and later bytes are taken at once.
    private func nextHeld() -> NextHeld {
        state.withLock { state in
            guard case .catchingUp(let response, let body, var held) = state else { return .nothing }
            if let piece = held.piece {
                held.piece = nil
                state = .catchingUp(response, body, held)
                return .piece(piece)
            }
            state = .receiving(response, body)
            return held.metrics.map(NextHeld.end) ?? .nothing
        }
    }
}
