internal import Dispatch
internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonFiles

/// Writes a body into its file, away from the thread that receives it.
///
/// What waits to be written is bounded: above ``highWater`` the receiver is to pause, and `wake` is called once the
/// writer has caught up. A file that cannot be made, or written to, costs no download: what it holds is copied into
/// memory and the rest added there, which the limit of the body bounds. Only bytes that cannot be read back are lost.
final class BodyWriter: Sendable {
    /// The transfer pauses while more than this waits to be written.
    static let highWater = 1 << 20

    typealias Completion = @Sendable (Result<Data, TransferError>) -> Void

    private enum Ending {
        case finish(Completion)
        case abandon(keepsBytes: Bool, @Sendable () -> Void)
    }

    private struct State {
        var unwritten = GatheredBytes()
        /// The queue has been asked to write, and will look again.
        var isScheduled = false
        var isPaused = false
        var failure: TransferError?
        var ending: Ending?
    }

    /// Where the bytes go.
    private enum Output {
        case unopened
        case file(any BodyFile)
        case memory(GatheredBytes, instead: (any BodyFile)?)
        case lost(TransferError, (any BodyFile)?)

        /// The file that must be closed.
        var openFile: (any BodyFile)? {
            switch self {
            case .unopened: nil
            case .file(let file): file
            case .memory(_, let file): file
            case .lost(_, let file): file
            }
        }
    }

    private let queue: DispatchQueue
    private let open: @Sendable () throws(FileSystemError) -> any BodyFile
    private let wake: @Sendable () -> Void
    private let state = Lock(State())
    /// Touched on the queue alone.
    private let output = Lock(Output.unopened)

    /// - Parameters:
    ///   - queue: A serial queue, where all calls to the file system are made.
    ///   - open: Makes the file, or opens the one to go on with.
    ///   - wake: Called on the queue when a paused transfer may go on.
    init(
        queue: DispatchQueue,
        open: @escaping @Sendable () throws(FileSystemError) -> any BodyFile,
        wake: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.open = open
        self.wake = wake
    }

    /// Takes bytes.
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

    /// Calls `completion` with the whole body, once it is written.
    func finish(_ completion: @escaping Completion) {
        end(.finish(completion))
    }

    /// Ends without the body. Bytes that a later transfer can go on with are kept if `keepsBytes` is set.
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

    // MARK: The queue

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
            output.withLock { output in piece.withUnsafeBytes { write($0, to: &output) } }
            let mustWake = state.withLock { state in
                guard state.isPaused, state.unwritten.count <= Self.highWater / 2 else { return false }
                state.isPaused = false
                return true
            }
            if mustWake { wake() }
        }
    }

    private func begin(_ output: inout Output) {
        guard case .unopened = output else { return }
        do throws(FileSystemError) {
            output = .file(try open())
        } catch {
            output = .memory(GatheredBytes(), instead: nil)
        }
    }

    private func write(_ piece: UnsafeRawBufferPointer, to output: inout Output) {
        begin(&output)
        switch output {
        case .unopened, .lost:
            break
        case .file(let file):
            let earlierCount = file.count
            do throws(FileSystemError) {
                try file.append(piece)
            } catch {
                output = rescue(file)
                // A part of the piece may have gone into the file before it failed.
                write(UnsafeRawBufferPointer(rebasing: piece.dropFirst(file.count - earlierCount)), to: &output)
            }
        case .memory(var bytes, let file):
            // Taken out, so that it is not copied.
            output = .unopened
            bytes.append(piece)
            output = .memory(bytes, instead: file)
        }
    }

    private func rescue(_ file: any BodyFile) -> Output {
        do throws(FileSystemError) {
            return .memory(GatheredBytes(try file.copy()), instead: file)
        } catch {
            let failure = TransferError.temporaryFileFailed(error.description)
            state.withLock { $0.failure = failure }
            return .lost(failure, file)
        }
    }

    private func perform(_ ending: Ending) {
        let output = output.withLock { output in
            defer { output = .unopened }
            return output
        }
        switch ending {
        case .finish(let completion):
            var output = output
            // What is gone on with may be whole already.
            begin(&output)
            completion(finish(output))
        case .abandon(let keepsBytes, let completion):
            output.openFile?.close(keepsBytes: keepsBytes)
            completion()
        }
    }

    private func finish(_ output: Output) -> Result<Data, TransferError> {
        defer { output.openFile?.close(keepsBytes: false) }
        switch output {
        case .unopened: return .success(Data())
        case .memory(let bytes, _): return .success(bytes.data)
        case .lost(let failure, _): return .failure(failure)
        case .file(let file):
            do throws(FileSystemError) {
                return .success(try file.finish())
            } catch {
                return .failure(.temporaryFileFailed(error.description))
            }
        }
    }
}
