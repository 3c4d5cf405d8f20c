import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension Fault {
    /// Status lines and headers that are odd or wrong.
    static let heads: [Fault] = [
        Fault("garbage instead of a status line", is: .malformedResponse, "\u{1}\u{2}garbage\r\n\r\n"),
        Fault("another protocol", is: .malformedResponse, "ICY 200 OK\r\n\r\nabc"),
        Fault("a greeting of SSH", is: .malformedResponse, "SSH-2.0-OpenSSH_9.2\r\n"),
        Fault("HTTP/0.9, a body and nothing else", is: .malformedResponse, "<html>hello</html>"),
        Fault("a TLS alert", is: .malformedResponse, "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}"),
        Fault("a version that nobody knows", is: .malformedResponse, "HTTP/4.2 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a version of HTTP/3's look", is: .malformedResponse, "HTTP/3.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("HTTP/2 in words of HTTP/1", is: .malformedResponse, "HTTP/2 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("HTTP/3 in words of HTTP/1", is: .malformedResponse, "HTTP/3 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a status of two digits", is: .malformedResponse, "HTTP/1.1 20 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a status of four digits", is: .malformedResponse, "HTTP/1.1 2000 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a status of letters", is: .malformedResponse, "HTTP/1.1 abc OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("status 000", is: .malformedResponse, "HTTP/1.1 000 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("no status", is: .malformedResponse, "HTTP/1.1 \r\nContent-Length: 1\r\n\r\na"),
        Fault("two spaces", is: .malformedResponse, "HTTP/1.1  200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a protocol in small letters", is: .malformedResponse, "http/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("a version of two slashes", is: .malformedResponse, "HTTP//1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
        Fault("status 999", is: .response(999, [0x61]), "HTTP/1.1 999 Odd\r\nContent-Length: 1\r\n\r\na"),
        Fault("no reason phrase", is: .response(200, [0x61]), "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na"),
        Fault("bare line feeds", is: .response(200, [0x61]), "HTTP/1.1 200 OK\nContent-Length: 1\n\na"),
        Fault(
            "switching protocols that nobody asked for",
            is: .malformedResponse,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\n\r\nhello"
        ),
        Fault("a header without colon", is: .malformedResponse, "HTTP/1.1 200 OK\r\nnothing\r\n\r\na"),
        Fault("NUL in a value", is: .malformedResponse, "HTTP/1.1 200 OK\r\nA: b\u{0}c\r\nContent-Length: 1\r\n\r\na"),
        Fault("NUL in a name", is: .malformedResponse, "HTTP/1.1 200 OK\r\nA\u{0}: c\r\nContent-Length: 1\r\n\r\na"),
        Fault("NUL in the status line", is: .malformedResponse, "HTTP/1.1 200 O\u{0}\r\nContent-Length: 1\r\n\r\na"),
        Fault(
            "a length in a folded line",
            is: .response(200, [0x61]),
            "HTTP/1.1 200 OK\r\nA: b\r\n Content-Length: 5\r\nContent-Length: 1\r\n\r\na"
        ),
        Fault(
            "HTTP/1.0 that closes",
            is: .response(200, [0x61, 0x62]),
            "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nab"
        ),
        Fault(
            "HTTP/1.0 that closes too early",
            is: .connectionLost,
            "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nab"
        ),
        Fault("206 that nobody asked for", is: .response(206, [1]), partial("bytes 0-0/9")),
        Fault("206 for another range", is: .response(206, [1]), partial("bytes 7-7/9")),
        Fault("206 for no range", is: .response(206, [1]), partial("rubbish")),
        Fault("304 that nobody asked for", is: .response(304), Response(304)),
        Fault("304 with a target", is: .response(304), Response(304, headers: [.location: "/elsewhere"])),
        Fault("416 that nobody asked for", is: .response(416, [1]), Response(416, body: [1])),
    ]

    private static func partial(_ range: String) -> Response {
        Response(206, headers: [.contentRange: range], body: [1])
    }
}

@Suite("status lines and headers")
struct StatusAndHeaderTests {
    @Test("that make no sense are an error, odd ones a response", arguments: Fault.heads)
    func heads(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("a folded value is joined with one space (RFC 9112, section 5.2)")
    func folding() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\nX: one\r\n\t two\r\nContent-Length: 0\r\n\r\n".utf8))])
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            let name = try #require(HTTPField.Name("X"))
            #expect(receiver.response?.headers[name] == "one two")
        }
    }

    @Test("HTTP/1.0 does not keep its connection")
    func oldVersion() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))])
        } _: { server, transport in
            for _ in 0..<2 {
                #expect(await receive(transport, .patient(url: server.url())).body == Data("a".utf8))
            }
            #expect(server.connectionCount == 2)
        }
    }
}
