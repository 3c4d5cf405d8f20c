import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

/// Events of one load in a given order, and what it must come to.
struct BodyEventOrder: Sendable, CustomTestStringConvertible {
    enum Event: String {
        case accept, refuse, piece, end, failure, cancel
        /// The end comes from the cancel that a refusal brings: it was on its way.
        case refuseAndEnd
        /// The review is refused because its task was cancelled.
        case giveUp
    }

    enum Outcome: Equatable {
        case body([UInt8])
        case refused
        case failed(TransferError)
    }

    let events: [Event]
    let outcome: Outcome

    init(_ events: Event..., is outcome: Outcome) {
        self.events = events
        self.outcome = outcome
    }

    var testDescription: String { events.map(\.rawValue).joined(separator: ", ") }

    static let lost = TransferError.connectionLost("test")

    static let all: [BodyEventOrder] = [
        .init(.accept, .end, is: .body([])), .init(.end, .accept, is: .body([])),
        .init(.piece, .accept, .end, is: .body([7])), .init(.accept, .piece, .end, is: .body([7])),
        .init(.piece, .end, .accept, is: .body([7])),
        .init(.refuse, .end, is: .refused), .init(.end, .refuse, is: .refused),
        .init(.refuse, .piece, .end, is: .refused), .init(.piece, .refuse, .end, is: .refused),
        .init(.piece, .end, .refuse, is: .refused), .init(.refuseAndEnd, is: .refused),
        .init(.piece, .refuseAndEnd, is: .refused),
        .init(.accept, .failure, is: .failed(lost)), .init(.failure, .accept, is: .failed(lost)),
        .init(.piece, .accept, .failure, is: .failed(lost)), .init(.piece, .failure, .accept, is: .failed(lost)),
        .init(.refuse, .failure, is: .refused), .init(.failure, .refuse, is: .failed(lost)),
        .init(.accept, .cancel, is: .failed(.cancelled)), .init(.cancel, .accept, is: .failed(.cancelled)),
        .init(.piece, .cancel, .accept, is: .failed(.cancelled)),
        .init(.refuse, .cancel, is: .refused), .init(.cancel, .refuse, is: .failed(.cancelled)),
        .init(.cancel, .giveUp, is: .failed(.cancelled)), .init(.end, .cancel, .giveUp, is: .failed(.cancelled)),
        .init(.cancel, .accept, .end, is: .failed(.cancelled)), .init(.cancel, .end, .accept, is: .failed(.cancelled)),
        .init(.end, .cancel, .accept, is: .failed(.cancelled)), .init(.end, .cancel, .refuse, is: .failed(.cancelled)),
        // What has ended well before it is cancelled may be had.
        .init(.accept, .end, .cancel, is: .body([])), .init(.accept, .cancel, .end, is: .body([])),
        .init(.accept, .cancel, .failure, is: .failed(lost)), .init(.accept, .failure, .cancel, is: .failed(lost)),
    ]
}

@Suite("events of one load")
struct BodyEventOrderTests {
    private struct Refusal: Error {}

    /// A transfer that does nothing by itself but complete when it is told to.
    private final class ManualTransfer: Transfer, HTTPTransport {
        struct State {
            var receiver: (any TransferReceiver)?
            var isCancelled = false
            var endsOnCancel = false
        }

        let state = Lock(State())
        let started = Gate()

        var cacheScope: String? { nil }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            state.withLock { $0.receiver = receiver }
            started.open()
            return self
        }

        func cancel() {
            let endsNow = state.withLock { state in
                state.isCancelled = true
                return state.endsOnCancel
            }
            if endsNow { complete(.success(TransferMetrics())) }
        }

        func setPriority(_ priority: LoadPriority) {}
        func resume() {}

        func complete(_ result: Result<TransferMetrics, TransferError>) {
            let receiver = state.withLock { state in
                defer { state.receiver = nil }
                return state.receiver
            }
            receiver?.didComplete(result)
        }
    }

    @Test("come to the same in whichever order they come", arguments: BodyEventOrder.all)
    func order(_ order: BodyEventOrder) async throws {
        let transfer = ManualTransfer()
        let request = TransferRequest(url: try #require(URL(string: "http://example.com/")))
        // Any review: the test decides in its place.
        let hooks = BodyCollector.Hooks(review: { _ in })
        let collector = BodyCollector(request, storage: .memory, hooks: hooks)
        let task = Task { try await collector.transfer(over: transfer, priority: nil) }
        await transfer.started.wait()
        try collector.didReceive(response: TransferResponse(status: 404, headers: [:], url: request.url))
        for event in order.events { try perform(event, collector, transfer, task) }
        // The contract of a transport: what is cancelled ends.
        if transfer.state.withLock({ $0.isCancelled }) { transfer.complete(.failure(.cancelled)) }
        let result = await task.result
        switch (order.outcome, result) {
        case (.body(let bytes), .success(let body)): #expect(Array(body.data) == bytes)
        case (.refused, .failure(is Refusal)): break
        case (.failed(let expected), .failure(let error as TransferError)): #expect(error == expected)
        default: Issue.record("\(result)")
        }
    }

    private func perform(
        _ event: BodyEventOrder.Event,
        _ collector: BodyCollector,
        _ transfer: ManualTransfer,
        _ task: Task<HTTPResponseBody, any Error>
    ) throws {
        switch event {
        case .accept: collector.decide(nil)
        case .refuse: collector.decide(Refusal())
        case .giveUp: collector.decide(CancellationError())
        case .refuseAndEnd:
            transfer.state.withLock { $0.endsOnCancel = true }
            collector.decide(Refusal())
            // Where the transfer was not yet known, its end comes after it.
            transfer.complete(.success(TransferMetrics()))
        case .piece: _ = try [UInt8(7)].withUnsafeBytes { try collector.didReceive(bytes: $0) }
        case .end: transfer.complete(.success(TransferMetrics()))
        case .failure: transfer.complete(.failure(BodyEventOrder.lost))
        case .cancel: task.cancel()
        }
    }

    @Test("lose no piece that comes while the held one is taken")
    func pieceDuringPiece() async throws {
        let transfer = ManualTransfer()
        let request = TransferRequest(url: try #require(URL(string: "http://example.com/")))
        let slot = Lock<BodyCollector?>(nil)
        let hooks = BodyCollector.Hooks(
            review: { _ in },
            report: { progress in
                // The transfer was woken, and sends more from its own thread.
                guard progress.receivedBytes == 1, let collector = slot.withLock({ $0 }) else { return }
                let demand = try? [UInt8(8)].withUnsafeBytes { try collector.didReceive(bytes: $0) }
                #expect(demand == .pause)
            }
        )
        let collector = BodyCollector(request, storage: .memory, hooks: hooks)
        slot.withLock { $0 = collector }
        defer { slot.withLock { $0 = nil } }
        let task = Task { try await collector.transfer(over: transfer, priority: nil) }
        await transfer.started.wait()
        try collector.didReceive(response: TransferResponse(status: 200, headers: [:], url: request.url))
        _ = try [UInt8(7)].withUnsafeBytes { try collector.didReceive(bytes: $0) }
        collector.decide(nil)
        transfer.complete(.success(TransferMetrics()))
        #expect(try await task.value.data == Data([7, 8]))
    }

    @Test("leave nothing behind where the transfer fails while a held piece is taken")
    func failureDuringPiece() async throws {
        let transfer = ManualTransfer()
        let request = TransferRequest(url: try #require(URL(string: "http://example.com/")))
        let reports = ProgressLog()
        let collector = BodyCollector(
            request,
            storage: .memory,
            hooks: .init(review: { _ in }, report: { reports.add($0) })
        )
        let task = Task { try await collector.transfer(over: transfer, priority: nil) }
        await transfer.started.wait()
        try collector.didReceive(response: TransferResponse(status: 200, headers: [:], url: request.url))
        transfer.complete(.failure(BodyEventOrder.lost))
        _ = try [UInt8(7)].withUnsafeBytes { try collector.take($0) }
        await #expect(throws: BodyEventOrder.lost) { try await task.value }
        #expect(reports.all.isEmpty)
        let isEnded = collector.state.withLock { state in
            if case .ended = state { true } else { false }
        }
        #expect(isEnded)
    }

    @Test("wait for no writer: a piece that waits for it leaves the rest free", .timeLimit(.minutes(5)))
    func lockOfWriter() async throws {
        let transfer = ManualTransfer()
        let folder = try ScratchFolder()
        let request = TransferRequest(url: try #require(URL(string: "http://example.com/")))
        var storage = BodyStorage.memory
        storage.memoryThreshold = 0
        storage.temporaryFolder = folder.path
        let collector = BodyCollector(request, storage: storage, hooks: .init())
        let task = Task { try await collector.transfer(over: transfer, priority: nil) }
        await transfer.started.wait()
        try collector.didReceive(response: TransferResponse(status: 200, headers: [:], url: request.url))
        _ = try [UInt8(7)].withUnsafeBytes { try collector.didReceive(bytes: $0) }
        let writer = try #require(collector.state.withLock { $0.gathering?.writer })
        let (isHeld, release) = (Gate(), Gate())
        async let holder: Void = onThread {
            writer.state.withLock { _ in
                isHeld.open()
                release.block()
            }
        }
        await isHeld.wait()
        async let piece = onThread { try [UInt8(8)].withUnsafeBytes { try collector.didReceive(bytes: $0) } }
        // The lock is free, and the piece counted, although the piece cannot be passed on yet.
        func isCounted() -> Bool {
            collector.state.withLockIfAvailable { $0.gathering?.receivedBytes == 2 } ?? false
        }
        while !Task.isCancelled, !isCounted() { await Task.yield() }
        #expect(isCounted())
        release.open()
        _ = try await (holder, piece)
        transfer.complete(.success(TransferMetrics()))
        #expect(try await task.value.data == Data([7, 8]))
        #expect(folder.files.isEmpty)
    }
}

extension BodyCollector.State {
    /// The bytes of a body that is being received.
    fileprivate var gathering: BodyGathering? {
        if case .receiving(_, let body) = self { body.gathering } else { nil }
    }
}
