import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension Fault {
    /// Bodies whose length is said wrongly, or in two ways (RFC 9112, section 6.3).
    static let lengths: [Fault] = [
        Fault("a length that is no number", is: .malformedResponse, length("ten")),
        Fault("a number and more", is: .malformedResponse, length("3x")),
        Fault("a number and another", is: .malformedResponse, length("3 4")),
        Fault("a number and a line that ends in half", is: .malformedResponse, length("3\rA: b")),
        Fault("a hexadecimal length", is: .malformedResponse, length("0x3")),
        Fault("a negative length", is: .malformedResponse, length("-3")),
        Fault("a length with a plus sign", is: .malformedResponse, length("+3")),
        Fault("an empty length", is: .malformedResponse, length("")),
        Fault("a length beyond all numbers", is: .malformedResponse, length("99999999999999999999")),
        Fault("two lengths", is: .malformedResponse, length("2\r\nContent-Length: 3")),
        Fault("two lengths, the longer first", is: .malformedResponse, length("3\r\nContent-Length: 2")),
        Fault("two lengths in one field", is: .malformedResponse, length("3, 2")),
        Fault("a length and a negative one", is: .malformedResponse, length("3\r\nContent-Length: -1")),
        Fault("a length that is said twice", is: .response(200, Array("abc".utf8)), length("3\r\nContent-Length: 3")),
        Fault(
            "a length beside chunked coding, which counts",
            is: .response(200, Array("abc".utf8)),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        ),
        Fault(
            "chunked coding before a length",
            is: .response(200, Array("abc".utf8)),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 200\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        ),
        Fault(
            "a transfer coding that nobody knows",
            is: .malformedResponse,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: xyz\r\n\r\nabc"
        ),
    ]

    private static func length(_ value: String) -> Response {
        Response(steps: [.bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nabc".utf8)), .close])
    }

    /// Chunk sizes and ends that are none (RFC 9112, section 7.1).
    static let chunks: [Fault] = [
        Fault("a chunk size that is no number", is: .malformedResponse, chunked("zz\r\n123\r\n0\r\n\r\n")),
        Fault("a negative chunk size", is: .malformedResponse, chunked("-3\r\n123\r\n0\r\n\r\n")),
        Fault("an empty chunk size", is: .malformedResponse, chunked("\r\n123\r\n0\r\n\r\n")),
        Fault("a chunk size beyond 64 bits", is: .malformedResponse, chunked("fffffffffffffffffffff\r\n123\r\n")),
        Fault("a chunk size of 64 bits", is: .malformedResponse, chunked("ffffffffffffffff\r\n123\r\n")),
        Fault("a chunk of 8 EiB", is: .connectionLost, chunked("7fffffffffffffff\r\n123\r\n")),
        Fault("a chunk without its end", is: .malformedResponse, chunked("3\r\n1230\r\n\r\n")),
        Fault("a chunk longer than said", is: .malformedResponse, chunked("3\r\n12345\r\n0\r\n\r\n")),
        Fault("a chunk extension", is: .response(200, Array("123".utf8)), chunked("3;a=b\r\n123\r\n0;c\r\n\r\n")),
        Fault("trailers", is: .response(200, Array("123".utf8)), chunked("3\r\n123\r\n0\r\nA: b\r\n\r\n")),
    ]

    /// Bytes where no body can be: after the length is full, after the last chunk, after statuses without a body.
    static let surplus: [Fault] = [
        Fault(
            "more than the length says",
            is: .response(200, [1, 2, 3]),
            open("Content-Length: 3", [1, 2, 3] + stray)
        ),
        Fault("more than no bytes", is: .response(200), open("Content-Length: 0", stray)),
        Fault(
            "more after the last chunk",
            is: .response(200, [7]),
            open("Transfer-Encoding: chunked", Response.chunk([7]) + Response.chunk([]) + stray)
        ),
        Fault("a body with 204", is: .response(204), open("Content-Length: 3", stray, status: 204)),
        Fault("a chunked body with 204", is: .response(204), open("Transfer-Encoding: chunked", stray, status: 204)),
        Fault("a body with 304", is: .response(304), open("Content-Length: 3", stray, status: 304)),
        Fault("a body for HEAD", is: .response(200), open("Content-Length: 3", stray), method: .head),
        Fault("a length with 204", is: .response(204), .scripted(204, headers: [.contentLength: "9"])),
        Fault("a length with 304", is: .response(304), .scripted(304, headers: [.contentLength: "9"])),
        Fault("a length for HEAD", is: .response(200), .scripted(headers: [.contentLength: "9"]), method: .head),
        Fault(
            "chunked coding for HEAD",
            is: .response(200),
            .scripted(headers: [.transferEncoding: "chunked"]),
            method: .head
        ),
    ]

    /// What would be a response if somebody took it for one.
    private static let stray = Response.head(418, headers: [.contentLength: "1"]) + [9]

    private static func open(_ field: String, _ rest: [UInt8], status: Int = 200) -> Response {
        Response(steps: [.bytes(Array("HTTP/1.1 \(status) Some\r\n\(field)\r\n\r\n".utf8) + rest)])
    }
}

@Suite("the length of a body")
struct BodyLengthTests {
    @Test("said wrongly is an error", arguments: Fault.lengths)
    func lengths(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("in chunks that are none is an error", arguments: Fault.chunks)
    func chunks(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("is not exceeded, and what is too much is never the next response", arguments: Fault.surplus)
    func surplus(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("exceeded on a kept connection does not feed the next request", arguments: ["Content-Length: 1", "chunked"])
    func lateSurplus(framing: String) async throws {
        let delivered = Gate()
        let sent = Gate()
        let body = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n".utf8) + [1]
        let chunked = OriginServer.Response.chunked(chunks: [[1]]).steps
        let stray = OriginServer.Response.head(418, headers: [.contentLength: "1"]) + [9]
        try await withServer { request in
            guard request.path == "/first" else { return .init(body: [2]) }
            let steps = framing == "chunked" ? chunked : [.bytes(body)]
            return .init(steps: steps + [.wait(delivered), .bytes(stray), .open(sent)])
        } _: { server, transport in
            let first = await receive(transport, .patient(url: server.url("/first")))
            #expect(await first.failure() == nil)
            #expect(first.body == Data([1]))
            delivered.open()
            await sent.wait()
            for _ in 0..<3 {
                let next = await receive(transport, .patient(url: server.url("/next")))
                #expect(await next.failure() == nil)
                #expect(next.response?.status == 200)
                #expect(next.body == Data([2]))
            }
            // The first connection was given up before a request went out there, and the second one is kept.
            #expect(server.connectionCount == 2)
            #expect(server.requests.map(\.path) == ["/first", "/next", "/next", "/next"])
        }
    }
}
