import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("The bytes of a body received so far")
struct ReceivedBodyTests {
    @Test("begin with those of the interrupted transfer that it continues")
    func continued() async throws {
        let (body, heldCount) = (ResumeFixture.body, 200_000)
        let rest = Array(body[heldCount...])
        let end = Gate()
        let fixture = try ResumeFixture([
            ResumeFixture.cut(heldCount),
            { _ in
                .scripted(
                    206,
                    headers: [
                        .eTag: "\"v1\"", .contentRange: "bytes \(heldCount)-\(body.count - 1)/\(body.count)",
                        .contentLength: "\(rest.count)",
                    ],
                    .bytes(Array(rest.prefix(1_000))),
                    .wait(end),
                    .bytes(Array(rest.dropFirst(1_000)))
                )
            },
        ])
        await fixture.interrupt()
        let (received, begun) = (Lock<ReceivedBody?>(nil), Gate())
        var configuration = BodyLoader.Configuration()
        configuration.temporaryFolder = fixture.folder.path
        configuration.partialBodies = fixture.store()
        let loader = BodyLoader(transport: fixture.transport, configuration: configuration)
        async let loaded = loader.load(
            TransferRequest.patient(url: fixture.server.url("/image")),
            priority: PriorityBox(.normal),
            begin: { body in
                received.withLock { $0 = body }
                begun.open()
            }
        )
        await begun.wait()
        let early = try #require(await received.withLock { $0 }?.copy())
        #expect(early.count >= heldCount)
        #expect(firstDifference(early, Array(body.prefix(early.count))) == nil)
        end.open()
        #expect(try await firstDifference(loaded.data, body) == nil)
        #expect(await received.withLock { $0 }?.copy() == nil)
    }
}
