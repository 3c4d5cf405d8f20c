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

/// The bytes of a stream or a file that is being read. It keeps none once that has ended.
final class ArrivingBytes: ArrivingBody {
    private struct State {
        var gathered = GatheredBytes()
        /// Memory of another owner, who does not write to it any more, and takes it back before it goes.
        var lent: UnsafeRawBufferPointer?
        var isEnded = false

        /// Returns the bytes from an offset on.
        func bytes(from offset: Int) -> Data {
            if let lent { return Data(lent.dropFirst(offset)) }
            return gathered.withUnsafeBytes { Data($0.dropFirst(offset)) }
        }
    }

    private let state = Lock(State())
    private let arrivals = BodyArrivals()

    /// - Parameter capacity: The number of bytes for which memory is reserved. Default: 0.
    init(capacity: Int = 0) {
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

    /// Lends all bytes so far, in place of those lent before. They must stay as they are until ``end()`` returns.
    func lend(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { $0.lent = bytes }
        arrivals.note(bytes.count)
    }

    /// Ends the arrival. Calling it again does nothing.
    ///
    /// - Returns: The bytes that were added, the first time.
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
        state.withLock { $0.isEnded ? nil : $0.bytes(from: 0) }
    }

    func hasBytes(from offset: Int) async -> Bool {
        await arrivals.wait(for: offset + 1)
        return !Task.isCancelled && state.withLock { !$0.isEnded }
    }

    func bytes(from offset: Int) async -> Data? {
        await arrivals.wait(for: offset + 1)
        guard !Task.isCancelled else { return nil }
        // Copied under the lock: lent memory goes, and memory that is shared when more bytes come would be copied
        // whole.
        return state.withLock { $0.isEnded ? nil : $0.bytes(from: offset) }
    }
}
