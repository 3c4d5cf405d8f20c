import Dispatch
import FoundationEssentials
import HalcyonConcurrency
import HalcyonStore
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
                storage.resumption = .init(store: store, key: try #require(PartialBodyKey(request)))
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
