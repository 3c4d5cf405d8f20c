package import FoundationEssentials

/// The body that a transfer under way receives.
///
/// It does not keep the bytes: once the transfer has ended, there are none.
package struct ReceivedBody: Sendable {
    private weak var collector: BodyCollector?

    init(_ collector: BodyCollector) {
        self.collector = collector
    }

    /// Copies the bytes received so far, content coding undone: from memory, or the temporary file of a long body,
    /// which waits for what is being written to such files.
    ///
    /// - Returns: `nil` once the transfer has ended.
    package func copy() async -> Data? {
        await collector?.copyOfBody()
    }
}

extension BodyCollector {
    fileprivate func copyOfBody() async -> Data? {
        // Copies share the bytes until the next are added. So the transport's thread is not kept waiting for a copy of
        // many.
        let gathering = state.withLock { state -> BodyGathering? in
            switch state {
            case .undecided(_, let body, _), .catchingUp(_, let body, _), .receiving(_, let body): body.gathering
            case .beginning, .refused, .ended: nil
            }
        }
        guard let gathering else { return nil }
        return if let writer = gathering.writer { await writer.copyOfBody() } else { gathering.data }
    }
}
