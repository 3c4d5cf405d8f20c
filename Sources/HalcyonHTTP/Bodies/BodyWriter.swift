internal import Dispatch
internal import FoundationEssentials
internal import HalcyonSystem

/// Writes a body into its file, away from the thread that receives it.
///
/// The bytes that wait to be written are bounded: above ``highWater`` the receiver is to pause, and `wake` is called
/// once the writer has caught up. A file that cannot be made, or written to, costs no download: what it holds is copied
/// into memory and the rest added there, which the limit of the body bounds. Only bytes that cannot be read back are
/// lost.
final class BodyWriter: Sendable {
    /// The transfer pauses while more than this waits to be written.
    static let highWater = 1 << 20

    typealias Completion = @Sendable (Result<Data, TransferError>) -> Void

    enum Ending {
        case finish(Completion)
        case abandon(keepsBytes: Bool, @Sendable () -> Void)
    }

    struct State {
        var unwritten: GatheredBytes
        /// A Boolean value that indicates whether the queue has been asked to write, and will look again.
        var isScheduled = false
        var isPaused = false
        var failure: TransferError?
        var ending: Ending?
    }

    private let queue: DispatchQueue
    private let wake: @Sendable () -> Void
    let state: Lock<State>
    /// The output; used on the queue alone.
    private let output: Lock<BodyOutput>

    /// - Parameters:
    ///   - queue: A serial queue, where all calls to the file system are made.
    ///   - beginning: The bytes that are written first, with the first piece or the end. Default: none.
    ///   - open: Makes the file, or opens the one to go on with.
    ///   - wake: Called on the queue when a paused transfer may go on.
    init(
        queue: DispatchQueue,
        beginning: GatheredBytes = GatheredBytes(),
        open: @escaping @Sendable () throws(FileSystemError) -> any BodyFile,
        wake: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.wake = wake
        state = Lock(State(unwritten: beginning))
        output = Lock(.unopened(open))
    }

    /// Takes bytes; ignores them after the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        let (demand, failure) = state.withLock { state -> (TransferDemand, TransferError?) in
            if let failure = state.failure { return (.proceed, failure) }
            state.unwritten.append(bytes)
            if state.unwritten.count > Self.highWater { state.isPaused = true }
            schedule(&state)
            return (state.isPaused ? .pause : .proceed, nil)
        }
        if let failure { throw failure }
        return demand
    }

    /// Copies the bytes so far; `nil` if the body has ended, or its bytes cannot be read.
    func copyOfBody() async -> Data? {
        await withCheckedContinuation { continuation in
            // Between two pieces: no bytes are on their way from one place to the other.
            queue.async { [self] in
                let written = output.withLock { $0.copy() }
                let unwritten = state.withLock { $0.unwritten }
                guard var data = written, !unwritten.isEmpty else { return continuation.resume(returning: written) }
                unwritten.withUnsafeBytes { data.append(contentsOf: $0) }
                continuation.resume(returning: data)
            }
        }
    }

    /// Calls `completion` with the whole body, once it is written.
    func finish(_ completion: @escaping Completion) {
        end(.finish(completion))
    }

    /// Ends without the body. Bytes that a later transfer can continue are kept if `keepsBytes` is set.
    func abandon(keepsBytes: Bool, _ completion: @escaping @Sendable () -> Void) {
        end(.abandon(keepsBytes: keepsBytes, completion))
    }

    private func end(_ ending: Ending) {
        state.withLock { state in
            state.ending = ending
            schedule(&state)
        }
    }

    private func schedule(_ state: inout State) {
        guard !state.isScheduled else { return }
        state.isScheduled = true
        queue.async { self.run() }
    }

    /// Writes until there is nothing more to write, on the queue.
    private func run() {
        var piece = GatheredBytes()
        while true {
            piece.removeAllKeepingCapacity()
            let ending = state.withLock { state -> Ending? in
                swap(&state.unwritten, &piece)
                if piece.isEmpty {
                    state.isScheduled = false
                    defer { state.ending = nil }
                    return state.ending
                }
                return nil
            }
            guard !piece.isEmpty else {
                if let ending { perform(ending) }
                return
            }
            let failure = output.withLock { output in
                piece.withUnsafeBytes { output.write($0) }
                return output.failure
            }
            let mustWake = state.withLock { state in
                state.failure = failure
                guard state.isPaused, state.unwritten.count <= Self.highWater / 2 else { return false }
                state.isPaused = false
                return true
            }
            if mustWake { wake() }
        }
    }

    private func perform(_ ending: Ending) {
        var output = output.withLock { output in
            defer { output = .closed }
            return output
        }
        switch ending {
        case .finish(let completion):
            completion(output.finish())
        case .abandon(let keepsBytes, let completion):
            output.close(keepsBytes: keepsBytes)
            completion()
        }
    }
}
