import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("progress of a body")
struct BodyProgressTests {
    @Test("is a count, which never goes back and ends at the length", arguments: [1 << 10, 1 << 30])
    func count(threshold: Int) async throws {
        let bytes = pattern(3 << 20)
        let log = ProgressLog()
        try await withServer { _ in
            .init(body: bytes)
        } _: { server, transport in
            var configuration = BodyLoader.Configuration()
            configuration.memoryThreshold = threshold
            let body = try await BodyLoader(transport: transport, configuration: configuration)
                .load(TransferRequest.patient(url: server.url()), report: { log.add($0) })
            #expect(firstDifference(body.data, bytes) == nil)
        }
        let counts = log.all.map(\.receivedBytes)
        #expect(counts == counts.sorted() && Set(counts).count == counts.count)
        #expect(counts.last == bytes.count)
        #expect(log.all.allSatisfy { $0.expectedBytes == bytes.count })
    }

    @Test("a body that was handed out does not change when its server sends on elsewhere")
    func snapshot() async throws {
        let transport = ScriptedTransport()
        let loader = BodyLoader(transport: transport)
        let url = try #require(URL(string: "http://example.com/a"))
        async let first = loader.load(TransferRequest(url: url))
        let transfer = await transport.nextTransfer()
        transfer.respond()
        transfer.send([1, 2])
        transfer.finish()
        let body = try await first
        async let second = loader.load(TransferRequest(url: url))
        let other = await transport.nextTransfer()
        other.respond()
        other.send([3, 4, 5])
        #expect(body.data == Data([1, 2]))
        other.finish()
        #expect(try await second.data == Data([3, 4, 5]))
    }

    @Test("a length that a server only claims takes no memory beyond a bound")
    func reservation() {
        var gathering = BodyGathering(memoryThreshold: .max)
        gathering.expect(.max)
        gathering.expect(-1)
        #expect(gathering.receivedBytes == 0 && gathering.writer == nil)
    }
}
