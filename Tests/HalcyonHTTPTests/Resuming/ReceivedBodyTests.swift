import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("The bytes of a body received so far")
struct ReceivedBodyTests {
    /// Begins a transfer, and returns once its first bytes may be had.
    private func begin(
        _ fixture: ResumeFixture,
        _ change: (inout BodyLoader.Configuration) -> Void = { _ in }
    ) async -> (loader: BodyLoader, load: Task<HTTPResponseBody, any Error>, received: ReceivedBody?) {
        let (received, begun) = (Lock<ReceivedBody?>(nil), Gate())
        var configuration = BodyLoader.Configuration()
        configuration.temporaryFolder = fixture.folder.path
        configuration.partialBodies = fixture.store()
        change(&configuration)
        let loader = BodyLoader(transport: fixture.transport, configuration: configuration)
        let load = Task {
            try await loader.load(
                TransferRequest.patient(url: fixture.server.url("/image")),
                priority: PriorityBox(.normal),
                begin: { body in
                    received.withLock { $0 = body }
                    begun.open()
                }
            )
        }
        await begun.wait()
        return (loader, load, received.withLock { $0 })
    }

    @Test("of a slow transfer are written as they come, and returned as they come")
    func slow() async throws {
        let (body, pieces, end) = (ResumeFixture.body, 100_000, Gate())
        let fixture = try ResumeFixture([ResumeFixture.cut(pieces, at: end)])
        let (loader, load, received) = await begin(fixture) { $0.memoryTime = .zero }
        var bytes: [UInt8] = []
        // From a file they would come each time that they have doubled, and the last of these not at all.
        while bytes.count < pieces, let more = await received?.bytes(from: bytes.count) {
            bytes += more
        }
        #expect(firstDifference(Data(bytes), Array(body.prefix(pieces))) == nil)
        await loader.waitForWriting()
        #expect(fixture.partialFiles.count == 2)
        end.open()
        await #expect(throws: TransferError.self) { try await load.value }
    }

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
        let (_, load, received) = await begin(fixture)
        let early = try #require(await received?.copy())
        #expect(early.count >= heldCount)
        #expect(firstDifference(early, Array(body.prefix(early.count))) == nil)
        end.open()
        #expect(try await firstDifference(load.value.data, body) == nil)
        #expect(await received?.copy() == nil)
    }
}
