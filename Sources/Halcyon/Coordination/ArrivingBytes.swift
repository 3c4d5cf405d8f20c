internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// Encoded bytes that a load gets piece by piece.
protocol ArrivingBody: Sendable {
    /// Copies the bytes so far.
    ///
    /// - Returns: `nil` once no more come.
    func copy() async -> Data?

    /// Waits for bytes behind the first `offset`, and copies those that have come by then.
    ///
    /// - Returns: `nil` once no more come, whatever was not copied, or the calling task is cancelled.
    func bytes(from offset: Int) async -> Data?

    /// Waits for bytes behind the first `offset`, and copies none.
    ///
    /// - Returns: `false` once no more come, or the calling task is cancelled.
    func hasBytes(from offset: Int) async -> Bool
}

extension ReceivedBody: ArrivingBody {}

/// The bytes of a stream that is being read. It keeps none once that has ended.
final class ArrivingBytes: ArrivingBody {
    private struct State {
        var gathered = GatheredBytes()
        var isEnded = false

        /// Returns the bytes from an offset on; `nil` once no more come.
        func bytes(from offset: Int) -> Data? {
            isEnded ? nil : gathered.withUnsafeBytes { Data($0.dropFirst(offset)) }
        }
    }

    private let state = Lock(State())
    private let arrivals = BodyArrivals()

    init(capacity: Int) {
        state.withLock { $0.gathered.reserveCapacity(capacity) }
    }

    /// Adds bytes.
    func append(_ bytes: Data) {
        let count = state.withLock { state in
            bytes.withUnsafeBytes { state.gathered.append($0) }
            return state.gathered.count
        }
        arrivals.note(count)
    }

    /// Ends the arrival. Calling it again does nothing.
    @discardableResult
    func end() -> Data {
        let gathered = state.withLock { state in
            defer { state = State(isEnded: true) }
            return state.gathered
        }
        arrivals.end()
        return gathered.data
    }

    func copy() async -> Data? {
        state.withLock { $0.bytes(from: 0) }
    }

    func hasBytes(from offset: Int) async -> Bool {
        await arrivals.wait(for: offset + 1)
        return !Task.isCancelled && state.withLock { !$0.isEnded }
    }

    func bytes(from offset: Int) async -> Data? {
        await arrivals.wait(for: offset + 1)
        guard !Task.isCancelled else { return nil }
        // Copied under the lock: memory that is shared when more bytes come would be copied whole.
        return state.withLock { $0.bytes(from: offset) }
    }
}
