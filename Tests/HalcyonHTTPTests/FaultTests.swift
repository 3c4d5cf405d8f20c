import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("faults of the network and of servers")
struct FaultTests {
    typealias Response = OriginServer.Response

    /// What a test expects, the words aside.
    enum Kind: String {
        case connectionLost, malformedResponse

        func matches(_ error: TransferError?) -> Bool {
            switch (self, error) {
            case (.connectionLost, .connectionLost), (.malformedResponse, .malformedResponse): true
            default: false
            }
        }
    }

    static let faults: [(String, Kind, Response)] = [
        ("closed before the status line", .connectionLost, Response(steps: [.close])),
        ("reset before the status line", .connectionLost, Response(steps: [.reset])),
        ("closed inside the status line", .connectionLost, raw("HTTP/1.1 2")),
        ("closed inside the headers", .connectionLost, raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n")),
        ("closed inside a header line", .connectionLost, raw("HTTP/1.1 200 OK\r\nContent-Le")),
        (
            "body shorter than announced", .connectionLost,
            .scripted(headers: [.contentLength: "10"], .bytes([1, 2, 3]), .close)
        ),
        ("no body where one is announced", .connectionLost, .scripted(headers: [.contentLength: "10"], .close)),
        ("chunked body cut inside a chunk", .connectionLost, chunked("a\r\n123")),
        ("chunked body cut before its end", .connectionLost, chunked("3\r\n123\r\n")),
        ("a chunk size that is no number", .connectionLost, chunked("zz\r\n123\r\n")),
        ("a chunk size beyond all numbers", .connectionLost, chunked("fffffffffffffffffffff\r\n123\r\n")),
        ("garbage instead of a status line", .malformedResponse, raw("\u{1}\u{2}garbage\r\n\r\n")),
        ("an unknown protocol", .malformedResponse, raw("ICY 200 OK\r\n\r\nabc")),
        (
            "a length that is no number", .malformedResponse,
            .scripted(headers: [.contentLength: "ten"], .bytes([1]), .close)
        ),
        (
            "a content coding that nobody knows", .malformedResponse,
            Response(headers: [.contentEncoding: "xyz"], body: [1])
        ),
        (
            "a body that is not gzip", .malformedResponse,
            Response(headers: [.contentEncoding: "gzip"], body: [1, 2, 3])
        ),
    ]

    private static func raw(_ text: String) -> Response {
        Response(steps: [.bytes(Array(text.utf8)), .close])
    }

    private static func chunked(_ text: String) -> Response {
        .scripted(headers: [.transferEncoding: "chunked"], .bytes(Array(text.utf8)), .close)
    }

    @Test("are told by kind, with host and port", arguments: faults.indices)
    func fault(index: Int) async throws {
        let (name, kind, response) = Self.faults[index]
        try await withServer { _ in
            response
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            let error = await receiver.failure()
            #expect(kind.matches(error), "\(name): \(String(describing: error))")
            #expect(String(describing: error).contains("127.0.0.1:\(server.port)"), "\(String(describing: error))")
            #expect(receiver.violations == [])
            #expect(receiver.completionCount == 1)
        }
    }

    @Test("reset inside the headers or the body is a lost connection", arguments: [true, false])
    func reset(inHeaders: Bool) async throws {
        let gate = Gate()
        let begin =
            inHeaders ? Array("HTTP/1.1 200 OK\r\nA: b\r\n".utf8) : Response.head(headers: [.contentLength: "9"]) + [1]
        try await withServer { _ in
            .init(steps: [.bytes(begin), .wait(gate), .reset])
        } _: { server, transport in
            let receiver = RecordingReceiver(onBytes: { _ in
                gate.open()
                return .proceed
            })
            if inHeaders { gate.open() }
            _ = await receive(transport, TransferRequest.patient(url: server.url()), receiver: receiver)
            guard case .connectionLost = await receiver.failure() else {
                Issue.record("\(await receiver.result())")
                return
            }
            #expect(receiver.body.count == (inHeaders ? 0 : 1))
        }
    }

    @Test("a body longer than announced ends where it should")
    func tooLong() async throws {
        // In one piece: libcurl closes a connection on which it has seen too much.
        let response = Response.head(headers: [.contentLength: "3"]) + [1, 2, 3, 4, 5]
        try await withServer { _ in
            .init(steps: [.bytes(response)])
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([1, 2, 3]))
            // What is left over must not be taken for the next response.
            let next = await receive(transport, TransferRequest.patient(url: server.url()))
            #expect(next.body == Data([1, 2, 3]))
        }
    }

    @Test("nobody listening is told with host and port")
    func refused() async throws {
        let server = try OriginServer { _ in .init() }
        server.stop()
        let transport = CurlTransport()
        defer { transport.shutdown() }
        guard
            case .cannotConnect(let message) = await receive(transport, TransferRequest.patient(url: server.url()))
                .failure()
        else {
            Issue.record("not refused")
            return
        }
        #expect(message.contains("127.0.0.1:\(server.port)"))
    }

    @Test("a name without address is told")
    func unknownHost() async throws {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://host.invalid/"))
        let error = await receive(transport, TransferRequest.patient(url: url)).failure()
        guard case .cannotFindHost(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("host.invalid:80"))
    }

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
