import Dispatch
import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("a disk that is slower than the network")
struct BodyWriterTests {
    private static let body = pattern(6 << 20)

    @Test("pauses the transfer above a bound, which goes on once the disk has caught up, and loses nothing")
    func pause() async throws {
        let file = SlowFile()
        let (woken, finished) = (Gate(), Gate())
        let wakes = Lock(0)
        let whole = Lock<Result<Data, TransferError>?>(nil)
        let writer = BodyWriter(queue: DispatchQueue(label: "test"), open: { file }) {
            wakes.withLock { $0 += 1 }
            woken.open()
        }
        var taken = 0
        var demand = TransferDemand.proceed
        while demand == .proceed, taken < Self.body.count {
            let piece = Array(Self.body[taken..<(taken + 64 << 10)])
            demand = try piece.withUnsafeBytes { try writer.append($0) }
            taken += piece.count
        }
        #expect(demand == .pause)
        // One piece may be with the file, the bound waits, and the last piece goes beyond it.
        #expect(taken <= 2 * BodyWriter.highWater + 128 << 10)
        #expect(wakes.withLock { $0 } == 0)
        file.isSlow.signal()
        await woken.wait()
        let rest = Array(Self.body[taken...])
        _ = try rest.withUnsafeBytes { try writer.append($0) }
        writer.finish { result in
            whole.withLock { $0 = result }
            finished.open()
        }
        await finished.wait()
        #expect(try whole.withLock { $0 }?.get() == Data(Self.body))
    }

    @Test("leaves no file open where a body fails, before or after its last piece comes", arguments: [false, true])
    func failure(isFirst: Bool) async throws {
        let (file, queue, ended) = (ClosedFile(), DispatchQueue(label: "test"), Gate())
        let writer = BodyWriter(queue: queue, open: { file }, wake: {})
        func fail() { writer.abandon(keepsBytes: false) { ended.open() } }
        func piece() throws {
            let demand = try [UInt8(8)].withUnsafeBytes { try writer.append($0) }
            #expect(demand == .proceed)
        }
        _ = try [UInt8(7)].withUnsafeBytes { try writer.append($0) }
        if isFirst { fail() }
        try piece()
        if !isFirst { fail() }
        await ended.wait()
        // After the end it is ignored.
        try piece()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(file.state.withLock { $0.isClosed })
        #expect(file.state.withLock { $0.countAfterClosing } == 0)
    }

    @Test("has the bytes that were in memory although the body fails before the next piece comes")
    func beginning() async throws {
        let (file, ended) = (ClosedFile(), Gate())
        var gathering = BodyGathering(memoryThreshold: 2)
        func append(_ bytes: [UInt8]) -> BodyWriter? {
            bytes.withUnsafeBytes { bytes in
                gathering.append(bytes, expected: nil) { beginning in
                    BodyWriter(queue: DispatchQueue(label: "test"), beginning: beginning, open: { file }, wake: {})
                }
            }
        }
        #expect(append([7, 8]) == nil)
        let writer = try #require(append([9]))
        #expect(gathering.receivedBytes == 3 && gathering.data.isEmpty)
        writer.abandon(keepsBytes: true) { ended.open() }
        await ended.wait()
        #expect(file.state.withLock { $0.keptBytes } == [7, 8])
    }

    @Test("holds back the server, for a body that is kept for later as well", arguments: [false, true])
    func server(keeps: Bool) async throws {
        let folder = try ScratchFolder()
        let queue = DispatchQueue(label: "test")
        var storage = BodyStorage.memory
        storage.memoryThreshold = 64 << 10
        storage.temporaryFolder = folder.path
        storage.queue = queue
        let piece = pattern(1 << 20, seed: 3)
        // Much more than the buffers of writer, libcurl and sockets hold together.
        let count = 48
        try await withServer { _ in
            var response = OriginServer.Response.scripted(
                headers: [.contentLength: "\(piece.count * count)", .eTag: "\"v\""]
            )
            for _ in 0..<count { response.steps.append(.bytes(piece)) }
            return response
        } _: { [storage] server, transport in
            var storage = storage
            let request = TransferRequest.patient(url: server.url())
            if keeps {
                let store = PartialBodyStore(.init(folder: folder.path + "/partial"))
                storage.resumption = .init(store: store, key: try #require(PartialBodyKey(request)), removals: 0)
            }
            let received = Lock(0)
            let hooks = BodyCollector.Hooks(report: { progress in
                received.withLock { $0 = progress.receivedBytes }
            })
            let watched = WatchedTransport(base: transport)
            // Nothing is written while the queue is held.
            queue.suspend()
            let collector = BodyCollector(request, storage: storage, hooks: hooks)
            let load = Task { try await collector.collect(from: watched, priority: nil) }
            await watched.pausedOrCompleted.wait()
            #expect(watched.pauseCount.withLock { $0 } == 1)
            #expect(received.withLock { $0 } <= BodyWriter.highWater + 2 << 20)
            queue.resume()
            let body = try await load.value
            #expect(body.data.count == piece.count * count)
            #expect(firstDifference(body.data.suffix(piece.count), Data(piece)) == nil)
        }
        #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
    }
}

/// Tells when a receiver has asked for a pause.
private final class WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    let pauseCount = Lock(0)
    let pausedOrCompleted = Gate()

    init(base: any HTTPTransport) {
        self.base = base
    }

    var cacheScope: String? { base.cacheScope }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        base.start(request, receiver: Receiver(base: receiver, transport: self))
    }

    private struct Receiver: TransferReceiver {
        let base: any TransferReceiver
        let transport: WatchedTransport

        func didReceive(response: TransferResponse) throws(TransferError) {
            try base.didReceive(response: response)
        }

        func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
            let demand = try base.didReceive(bytes: bytes)
            if demand == .pause {
                transport.pauseCount.withLock { $0 += 1 }
                transport.pausedOrCompleted.open()
            }
            return demand
        }

        func didComplete(_ result: Result<TransferMetrics, TransferError>) {
            transport.pausedOrCompleted.open()
            base.didComplete(result)
        }
    }
}

/// A file whose first write waits.
private final class SlowFile: BodyFile {
    let isSlow = DispatchSemaphore(value: 0)
    private let bytes = Lock(Data())

    var count: Int { bytes.withLock { $0.count } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        if count == 0 { isSlow.wait() }
        self.bytes.withLock { $0.append(contentsOf: bytes) }
    }

    func copy() throws(FileSystemError) -> Data { bytes.withLock { $0 } }

    func finish() throws(FileSystemError) -> Data { bytes.withLock { $0 } }

    func close(keepsBytes: Bool) {}
}

/// A file that notes how it is closed.
private final class ClosedFile: BodyFile {
    struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var keptBytes: [UInt8] = []
        var countAfterClosing = 0
    }

    let state = Lock(State())

    var count: Int { state.withLock { $0.bytes.count } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        state.withLock { state in
            state.bytes += bytes
            if state.isClosed { state.countAfterClosing += bytes.count }
        }
    }

    func copy() throws(FileSystemError) -> Data { state.withLock { Data($0.bytes) } }

    func finish() throws(FileSystemError) -> Data { state.withLock { Data($0.bytes) } }

    func close(keepsBytes: Bool) {
        state.withLock { state in
            state.isClosed = true
            if keepsBytes { state.keptBytes = state.bytes }
        }
    }
}
