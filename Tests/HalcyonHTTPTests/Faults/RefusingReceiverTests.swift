import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("a receiver that has had enough")
struct RefusingReceiverTests {
    @Test("a receiver that refuses the response gets its own error back, and no body")
    func refusedResponse() async throws {
        let gone = Gate()
        try await withServer { _ in
            .scripted(headers: [.contentLength: "100"], .awaitDisconnect(opening: gone))
        } _: { server, transport in
            let receiver = RecordingReceiver(onResponse: { response throws(TransferError) in
                throw .responseRefused("status \(response.status)")
            })
            _ = await receive(transport, TransferRequest.patient(url: server.url()), receiver: receiver)
            #expect(await receiver.failure() == .responseRefused("status 200"))
            #expect(receiver.body.isEmpty)
            await gone.wait()
        }
    }

    @Test("a receiver that throws at a piece of the body gets its own error back")
    func refusedBytes() async throws {
        try await withServer { _ in
            .scripted(headers: [.acceptRanges: "none"], .endless([1, 2, 3]))
        } _: { server, transport in
            let receiver = RecordingReceiver(onBytes: { _ throws(TransferError) in throw .other("enough") })
            _ = await receive(transport, TransferRequest.patient(url: server.url()), receiver: receiver)
            #expect(await receiver.failure() == .other("enough"))
            #expect(receiver.pieceCount == 1)
            #expect(receiver.violations == [])
        }
    }
}
