public import FoundationEssentials
public import HalcyonHTTP
internal import HalcyonSystem

/// A receiver that keeps everything it receives, and notes each breach of the contract of ``HTTPTransport``.
public final class RecordingReceiver: TransferReceiver {
    private struct State {
        var sendCount = 0
        var response: TransferResponse?
        var body = Data()
        var pieceCount = 0
        var results: [Result<TransferMetrics, TransferError>] = []
        var violations: [String] = []
        var isCalled = false
    }

    private let state = Lock(State())
    private let completed = Gate()
    private let responded = Gate()
    private let onResponse: @Sendable (TransferResponse) throws(TransferError) -> Void
    private let onBytes: @Sendable (UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand
    private let onCompletion: @Sendable (Result<TransferMetrics, TransferError>) -> Void

    /// Creates a receiver that calls the closures beside recording; by default it takes everything.
    public init(
        onResponse: @escaping @Sendable (TransferResponse) throws(TransferError) -> Void = { _ in },
        onBytes: @escaping @Sendable (UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand = { _ in .proceed
        },
        onCompletion: @escaping @Sendable (Result<TransferMetrics, TransferError>) -> Void = { _ in }
    ) {
        self.onResponse = onResponse
        self.onBytes = onBytes
        self.onCompletion = onCompletion
    }

    /// Returns the result of the transfer; waits for the end.
    public func result() async -> Result<TransferMetrics, TransferError> {
        await completed.wait()
        return state.withLock { $0.results.first } ?? .failure(.other("no result"))
    }

    /// Returns the error that the transfer ended with, or `nil`; waits for the end.
    public func failure() async -> TransferError? {
        guard case .failure(let error) = await result() else { return nil }
        return error
    }

    /// Returns the head of the response; waits until it is there or the transfer has ended.
    public func responseHead() async -> TransferResponse? {
        await responded.wait()
        return response
    }

    /// The number of times that the request was sent.
    public var sendCount: Int { state.withLock { $0.sendCount } }

    /// The head of the response, if it has come.
    public var response: TransferResponse? { state.withLock { $0.response } }

    /// The bytes received so far.
    public var body: Data { state.withLock { $0.body } }

    /// The number of pieces in which they came.
    public var pieceCount: Int { state.withLock { $0.pieceCount } }

    /// The number of times that it was completed; 1 in the end.
    public var completionCount: Int { state.withLock { $0.results.count } }

    /// The calls that came twice, too late, too early or at the same time as another.
    public var violations: [String] { state.withLock { $0.violations } }

    /// Records that the request is sent.
    public func willSend() {
        enter("sending") { state in
            if state.response != nil { state.violations.append("sending after the response") }
            state.sendCount += 1
        }
        leave()
    }

    /// Records the head.
    public func didReceive(response: TransferResponse) throws(TransferError) {
        enter("response") { state in
            if state.response != nil { state.violations.append("a second response") }
            state.response = response
        }
        defer { leave() }
        responded.open()
        try onResponse(response)
    }

    /// Records the bytes.
    public func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        enter("bytes") { state in
            if state.response == nil { state.violations.append("bytes before the response") }
            state.body.append(contentsOf: bytes)
            state.pieceCount += 1
        }
        defer { leave() }
        return try onBytes(bytes)
    }

    /// Records the end.
    public func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        enter("completion") { $0.results.append(result) }
        onCompletion(result)
        leave()
        responded.open()
        completed.open()
    }

    private func enter(_ call: String, _ change: (inout State) -> Void) {
        state.withLock { state in
            if state.isCalled { state.violations.append("\(call) during another call") }
            if !state.results.isEmpty { state.violations.append("\(call) after the end") }
            state.isCalled = true
            change(&state)
        }
    }

    private func leave() {
        state.withLock { $0.isCalled = false }
    }
}
