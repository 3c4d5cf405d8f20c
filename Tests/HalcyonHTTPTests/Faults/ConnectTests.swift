import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("a connection that does not come about")
struct ConnectTests {
    @Test("because nobody listens is told with host and port, and works once somebody does")
    func refused() async throws {
        let port = FreePort.find()
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
        guard case .cannotConnect(let message) = await receive(transport, request).failure() else {
            Issue.record("not refused")
            return
        }
        #expect(message.contains("127.0.0.1:\(port)"))
        let revived = try OriginServer(port: port) { _ in .init(body: [1]) }
        defer { revived.stop() }
        #expect(await receive(transport, request).body == Data([1]))
    }

    @Test("because the name has no address is told, and leaves other hosts alone")
    func unknownHost() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            let url = try #require(URL(string: "http://host.invalid/"))
            for _ in 0..<2 {
                let error = await receive(transport, .patient(url: url)).failure()
                guard case .cannotFindHost(let message) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(message.contains("host.invalid:80"))
            }
            #expect(await receive(transport, .patient(url: server.url())).failure() == nil)
        }
    }

    /// libcurl knows both addresses of "localhost" by itself, and tries ::1 first.
    @Test("by IPv6, which comes first and is dead, comes about by IPv4")
    func deadIPv6() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            let url = try #require(URL(string: "http://localhost:\(server.port)/"))
            let receiver = await receive(transport, .patient(url: url))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([1]))
        }
    }

    @Test("by IPv6, which comes first and is silent, comes about by IPv4", .enabled(if: FullBacklog.hasIPv6))
    func silentIPv6() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            let silent = try FullBacklog(port: server.port, isIPv6: true)
            defer { silent.close() }
            let url = try #require(URL(string: "http://localhost:\(server.port)/"))
            let receiver = await receive(transport, .patient(url: url))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([1]))
        }
    }

    @Test("at either address of a name is told once")
    func bothDead() async throws {
        let port = try UnansweredPort()
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://localhost:\(port.number)/"))
        let receiver = await receive(transport, .patient(url: url))
        guard case .cannotConnect(let message) = await receiver.failure() else {
            Issue.record("\(await receiver.result())")
            return
        }
        #expect(message.contains("localhost:\(port.number)"))
        #expect(receiver.completionCount == 1)
    }
}
