import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

// Exit tests run alone in a process of their own, so descriptors and threads can be counted.
#if compiler(>=6.2)
@Suite("what faults leave behind")
struct FaultResourceTests {
    @Test("no descriptor and no thread, after every fault on one transport, three times over")
    func everyFault() async {
        await #expect(processExitsWith: .success) {
            // The first transport of a process initialises libcurl and OpenSSL.
            try await Self.meetAll()
            let before = try ProcessResources()
            for _ in 0..<3 { try await Self.meetAll() }
            let after = try ProcessResources()
            try #require(before == after)
        }
    }

    private static func meetAll() async throws {
        let transport = CurlTransport()
        let kinds = [
            Fault.closed, Fault.lengths, Fault.chunks, Fault.surplus, Fault.heads, Fault.codings, Fault.redirects,
        ]
        for fault in kinds.joined() {
            let server = try OriginServer(handler: fault.handler)
            let problems = await fault.problems(server, transport)
            server.stop()
            try #require(problems == [])
        }
        transport.shutdown()
    }
}
#endif
