import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("back-pressure")
struct BackPressureTests {
    /// More than the socket buffers of both ends hold.
    private static let body: [UInt8] = {
        // A prime length, so that no piece that is lost or repeated goes unseen.
        let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var body: [UInt8] = []
        while body.count < 32 << 20 { body += pattern }
        return body
    }()

    @Test("a paused transfer takes no bytes, holds the server, outlives the idle timeout, and goes on complete")
    func pause() async throws {
        let body = Self.body
        let sent = Gate()
        try await withServer { _ in
            .scripted(headers: [.contentLength: "\(body.count)"], .bytes(body), .open(sent))
        } _: { server, transport in
            let paused = Gate()
            let receiver = RecordingReceiver(onBytes: { _ in
                guard !paused.isOpen else { return .proceed }
                paused.open()
                return .pause
            })
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.idle = .seconds(2)
            let transfer = transport.start(request, receiver: receiver)
            await paused.wait()
            let taken = receiver.body.count

            // A transfer beside it runs into its idle timeout, which is longer: so the time has passed.
            let quiet = try OriginServer { _ in .silence }
            defer { quiet.stop() }
            var silent = TransferRequest.patient(url: quiet.url())
            silent.timeouts.idle = .milliseconds(2_500)
            #expect(await receive(transport, silent).failure() == .timedOut(.idle))

            #expect(receiver.body.count == taken && receiver.pieceCount == 1)
            #expect(receiver.completionCount == 0)
            #expect(!sent.isOpen)
            transfer.resume()
            #expect(await receiver.failure() == nil)
            #expect(firstDifference(receiver.body, body) == nil)
            #expect(receiver.violations == [])
        }
    }

    @Test("pausing at each piece, resumed from another thread, loses and repeats nothing", arguments: [false, true])
    func pauseEachPiece(isCoded: Bool) async throws {
        let plain = Data(String(repeating: "halcyon ", count: 1250).utf8)
        let big = [UInt8](Self.body.prefix(1 << 20))
        try await withServer { _ in
            isCoded
                ? .init(headers: [.contentEncoding: "gzip"], body: GzipFixture.tenThousandBytes) : .init(body: big)
        } _: { server, transport in
            let slot = TransferSlot()
            let (pauses, continuation) = AsyncStream<Void>.makeStream()
            let receiver = RecordingReceiver(
                onBytes: { _ in
                    continuation.yield()
                    return .pause
                },
                onCompletion: { _ in continuation.finish() }
            )
            slot.fill(transport.start(TransferRequest.patient(url: server.url()), receiver: receiver))
            for await _ in pauses { slot.wait().resume() }
            #expect(await receiver.failure() == nil)
            #expect(firstDifference(receiver.body, isCoded ? plain : Data(big)) == nil)
            #expect(receiver.violations == [])
        }
    }

    @Test("a paused transfer can be cancelled, and still has its total timeout", arguments: [true, false])
    func endWhilePaused(byCancelling: Bool) async throws {
        try await withServer { _ in
            .scripted(headers: [.acceptRanges: "none"], .endless([1]))
        } _: { server, transport in
            let paused = Gate()
            let receiver = RecordingReceiver(
                onBytes: { _ in
                    paused.open()
                    return .pause
                },
                onCompletion: { _ in paused.open() }
            )
            var request = TransferRequest.patient(url: server.url())
            // Time enough for the first bytes beside tests that keep both processors busy.
            if !byCancelling { request.timeouts.total = .seconds(2) }
            let transfer = transport.start(request, receiver: receiver)
            await paused.wait()
            if byCancelling { transfer.cancel() }
            #expect(await receiver.failure() == (byCancelling ? .cancelled : .timedOut(.total)))
            #expect(receiver.pieceCount == 1)
        }
    }

    @Test("a limit met while resuming ends the transfer")
    func limitAfterResume() async throws {
        try await withServer { _ in
            .scripted(headers: [.acceptRanges: "none"], .endless([UInt8](repeating: 1, count: 4096)))
        } _: { server, transport in
            let slot = TransferSlot()
            let receiver = RecordingReceiver(onBytes: { _ in
                slot.wait().resume()
                return .pause
            })
            var request = TransferRequest.patient(url: server.url())
            request.limits.bodyBytes = 200_000
            slot.fill(transport.start(request, receiver: receiver))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 200_000))
            #expect(receiver.violations == [])
        }
    }

    @Test("a transfer that breaks off ends with its error, after what came before it")
    func connectionLoss() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentLength: "9"], .bytes([1, 2]), .close)
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            guard case .connectionLost = await receiver.failure() else {
                Issue.record("\(String(describing: await receiver.failure()))")
                return
            }
            #expect(receiver.body == Data([1, 2]))
            #expect(receiver.violations == [])
        }
    }
}
