import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension Fault {
    /// Connections that end before the response does.
    static let closed: [Fault] = [
        Fault("closed before the status line", is: .connectionLost, Response(steps: [.close])),
        Fault("reset before the status line", is: .connectionLost, Response(steps: [.reset])),
        Fault("closed inside the status line", is: .connectionLost, "HTTP/1.1 2"),
        Fault("closed after the status line", is: .connectionLost, "HTTP/1.1 200 OK\r\n"),
        Fault("closed inside a header line", is: .connectionLost, "HTTP/1.1 200 OK\r\nContent-Le"),
        Fault("closed before the blank line", is: .connectionLost, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
        Fault("closed inside the blank line", is: .connectionLost, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r"),
        Fault(
            "closed after an informational response",
            is: .connectionLost,
            "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"
        ),
        Fault("a body shorter than announced", is: .connectionLost, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"),
        Fault("no body where one is announced", is: .connectionLost, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
        Fault("a chunked body without a chunk", is: .connectionLost, chunked("")),
        Fault("a chunked body cut inside a size", is: .connectionLost, chunked("a")),
        Fault("a chunked body cut inside a chunk", is: .connectionLost, chunked("a\r\n123")),
        Fault("a chunked body cut after a chunk", is: .connectionLost, chunked("3\r\n123\r\n")),
        Fault("a chunked body cut inside its end", is: .connectionLost, chunked("3\r\n123\r\n0\r\n")),
        Fault("a body that ends with its connection", is: .response(200, [1, 2, 3]), untilTheEnd([1, 2, 3])),
    ]

    static func chunked(_ text: String) -> String {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text
    }

    private static func untilTheEnd(_ body: [UInt8]) -> Response {
        .scripted(headers: [.contentType: "image/png"], .bytes(body), .close)
    }
}

@Suite("a connection that ends too early")
struct ClosedConnectionTests {
    @Test("is a lost connection, told with host and port", arguments: Fault.closed)
    func fault(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("by a reset inside the headers or the body is a lost connection", arguments: [true, false])
    func reset(inHeaders: Bool) async throws {
        let gate = Gate()
        let begin =
            inHeaders
            ? Array("HTTP/1.1 200 OK\r\nA: b\r\n".utf8)
            : OriginServer.Response.head(headers: [.contentLength: "9"]) + [1]
        let response = OriginServer.Response(steps: [.bytes(begin), .wait(gate), .reset])
        try await withServer(Fault("reset", is: .connectionLost, response).handler) { server, transport in
            let receiver = RecordingReceiver(onBytes: { _ in
                gate.open()
                return .proceed
            })
            if inHeaders { gate.open() }
            _ = await receive(transport, .patient(url: server.url("/fault")), receiver: receiver)
            guard case .connectionLost = await receiver.failure() else {
                Issue.record("\(await receiver.result())")
                return
            }
            #expect(receiver.body.count == (inHeaders ? 0 : 1))
            #expect(await receive(transport, .patient(url: server.url("/good"))).failure() == nil)
        }
    }

    @Test("once a request came that may change something does not have it sent again", arguments: [nil, Data([1])])
    func unrepeatable(body: Data?) async throws {
        try await withServer { request in
            request.method == "POST" ? .init(steps: [.close]) : .init(body: [1])
        } _: { server, transport in
            #expect(await receive(transport, .patient(url: server.url("/first"))).failure() == nil)
            var request = TransferRequest.patient(url: server.url("/order"))
            request.method = .post
            request.body = body
            let failure = await receive(transport, request).failure()
            guard case .connectionLost = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test("while it is kept is noticed before it is used again", arguments: [true, false])
    func keptConnection(isReset: Bool) async throws {
        let gate = Gate()
        try await withServer { request in
            let steps = OriginServer.Response(body: [1]).steps
            guard request.path == "/first" else { return .init(steps: steps) }
            return .init(steps: steps + [.wait(gate), isReset ? .reset : .close])
        } _: { server, transport in
            #expect(await receive(transport, .patient(url: server.url("/first"))).failure() == nil)
            gate.open()
            // Whether the end or the request comes first, the request goes through: libcurl sends it once more.
            for _ in 0..<3 {
                let next = await receive(transport, .patient(url: server.url("/next")))
                #expect(await next.failure() == nil)
                #expect(next.body.count == 1)
            }
        }
    }
}
