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

    /// Waits for bytes behind the first `offset`, and copies those that have been received by then, content coding
    /// undone.
    ///
    /// The work of all calls together is linear in the length of the body: one in a temporary file, which is copied from
    /// its beginning, is returned again only once it has doubled.
    ///
    /// - Returns: `nil` once the transfer has ended, whatever was not copied, or the calling task is cancelled.
    package func bytes(from offset: Int) async -> Data? {
        await collector?.bytesOfBody(from: offset)
    }

    /// Waits for bytes behind the first `offset`, and copies none.
    ///
    /// - Returns: `false` once the transfer has ended, or the calling task is cancelled.
    package func hasBytes(from offset: Int) async -> Bool {
        await collector?.hasBytesOfBody(from: offset) ?? false
    }
}

extension BodyCollector {
    fileprivate func hasBytesOfBody(from offset: Int) async -> Bool {
        await arrivals.wait(for: offset + 1)
        guard !Task.isCancelled else { return false }
        return state.withLock { state in
            switch state {
            case .undecided, .catchingUp, .receiving: true
            case .beginning, .refused, .ended: false
            }
        }
    }

    fileprivate func bytesOfBody(from offset: Int) async -> Data? {
        var least = offset + 1
        while !Task.isCancelled {
            await arrivals.wait(for: least)
            typealias Found = (writer: BodyWriter?, bytes: Data)
            // Copied under the lock: bytes that are shared when the next come would all be copied.
            let found = state.withLock { state -> Found? in
                switch state {
                case .undecided(_, let body, _), .catchingUp(_, let body, _), .receiving(_, let body):
                    guard body.gathering.isInMemory else { return (body.gathering.writer, Data()) }
                    return (nil, body.gathering.bytes(from: offset))
                case .beginning, .refused, .ended: return nil
                }
            }
            guard let found, !Task.isCancelled else { return nil }
            guard let writer = found.writer else { return found.bytes }
            guard least >= 2 * offset else {
                least = 2 * offset
                continue
            }
            guard let bytes = await writer.copyOfBody(), !Task.isCancelled else { return nil }
            if bytes.count > offset { return bytes.dropFirst(offset) }
            least = max(least, bytes.count) + 1
        }
        return nil
    }

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
        return gathering.isInMemory ? gathering.data : await gathering.writer?.copyOfBody()
    }
}
