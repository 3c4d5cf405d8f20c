internal import FoundationEssentials

extension BodyCollector {
    /// The progress of one response.
    enum State {
        /// No head has been accepted; the review may wait for one.
        case beginning(headWaiter: CheckedContinuation<TransferResponse?, Never>?)
        /// The review has not decided yet.
        case undecided(TransferResponse, CollectedBody, Held)
        /// The review has accepted the response. The held piece is taken, and bytes that arrive meanwhile are held.
        case catchingUp(TransferResponse, CollectedBody, Held)
        /// Bytes are taken as they arrive.
        case receiving(TransferResponse, CollectedBody)
        /// The response is refused. The end of the transfer is awaited.
        case refused(any Error, CollectedBody)
        /// The transfer has ended. The head is kept for a review that has not asked for it yet.
        case ended(head: TransferResponse?)
    }

    /// The piece and the end that came while the head was undecided.
    struct Held {
        /// The one piece that comes before the transfer pauses.
        var piece: Data?
        /// The metrics of a good end.
        var metrics: TransferMetrics?
    }

    /// A body as it comes.
    struct CollectedBody {
        var gathering: BodyGathering
        /// The part that may be kept of the body, if it is interrupted.
        var partial: PartialResponse?
        /// A Boolean value that indicates whether the response came as a part, so that the length of the whole is known by its
        /// range, which the transport does not check.
        var isOfRange = false
    }
}

extension BodyCollector.State {
    var head: TransferResponse? {
        switch self {
        case .undecided(let response, _, _), .catchingUp(let response, _, _), .receiving(let response, _): response
        case .ended(let head): head
        case .beginning, .refused: nil
        }
    }

    /// Changes the held bytes, if any are to be held; `nil` if not.
    mutating func hold<Answer>(_ change: (inout BodyCollector.Held) -> Answer) -> Answer? {
        switch self {
        case .undecided(let response, let body, var held):
            defer { self = .undecided(response, body, held) }
            return change(&held)
        case .catchingUp(let response, let body, var held):
            defer { self = .catchingUp(response, body, held) }
            return change(&held)
        case .beginning, .receiving, .refused, .ended:
            return nil
        }
    }

    /// Adds to the body, where the response is accepted; `nil` where it is not.
    mutating func add<Answer>(
        _ change: (TransferResponse, inout BodyCollector.CollectedBody) -> Answer
    ) -> Answer? {
        switch self {
        case .receiving(let response, var body):
            // Taken out of the state, so that its bytes are not copied.
            self = .ended(head: nil)
            defer { self = .receiving(response, body) }
            return change(response, &body)
        case .catchingUp(let response, var body, let held):
            self = .ended(head: nil)
            defer { self = .catchingUp(response, body, held) }
            return change(response, &body)
        case .beginning, .undecided, .refused, .ended:
            return nil
        }
    }
}
