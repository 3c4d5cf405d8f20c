import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("the life of a transport")
struct LifetimeTests {
    @Test("releasing it loses no completion")
    func release() async throws {
        let arrived = Gate()
        let release = Gate()
        let server = try OriginServer { _ in
            .init(steps: [.open(arrived), .wait(release)] + OriginServer.Response(body: [1]).steps)
        }
        defer { server.stop() }
        let receivers = (0..<20).map { _ in RecordingReceiver() }
        var transport: CurlTransport? = CurlTransport(configuration: .init(maximumConcurrentTransfers: 2))
        for receiver in receivers {
            _ = transport?.start(TransferRequest.patient(url: server.url()), receiver: receiver)
        }
        await arrived.wait()
        transport = nil
        release.open()
        for receiver in receivers {
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([1]))
        }
    }

    @Test("shutting down cancels what runs, pauses or waits, and returns when all are told")
    func shutdown() async throws {
        let server = try OriginServer { _ in .silence }
        defer { server.stop() }
        let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 2))
        let receivers = (0..<20).map { _ in RecordingReceiver() }
        for receiver in receivers {
            _ = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
        }
        transport.shutdown()
        transport.shutdown()
        for receiver in receivers {
            #expect(receiver.completionCount == 1)
            #expect(await receiver.failure() == .cancelled)
        }
        let late = RecordingReceiver()
        _ = transport.start(TransferRequest.patient(url: server.url()), receiver: late)
        #expect(await late.failure() == .cancelled)
    }

    @Test("shutting down from a callback does not wait for itself")
    func shutdownInCallback() async throws {
        let server = try OriginServer { _ in .init(body: [1]) }
        defer { server.stop() }
        let transport = CurlTransport()
        let receiver = RecordingReceiver(onCompletion: { _ in transport.shutdown() })
        _ = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
        #expect(await receiver.failure() == nil)
    }

    @Test("who keeps a finished transfer does not keep its receiver")
    func receiverIsReleased() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            weak var weakReceiver: RecordingReceiver?
            let transfer: any Transfer
            do {
                let receiver = RecordingReceiver()
                weakReceiver = receiver
                transfer = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
                _ = await receiver.result()
            }
            // The transport's thread lets go of it right after the call; another transfer comes after that.
            _ = await receive(transport, TransferRequest.patient(url: server.url()))
            #expect(weakReceiver == nil)
            transfer.cancel()
        }
    }
}
