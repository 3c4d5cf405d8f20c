import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("the headers of a response")
struct HeaderTests {
    private func response(_ head: String, body: [UInt8] = [1, 2, 3]) async throws -> TransferResponse? {
        try await withServer { _ in
            .init(steps: [.bytes(Array(head.utf8) + body), .close])
        } _: { server, transport in
            await receive(transport, .patient(url: server.url())).response
        }
    }

    @Test("keep order, spelling, repetition, folded lines and bytes beyond ASCII")
    func fields() async throws {
        let head = """
            HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nX-odd-Name:  a \t\r\nx-ODD-name:b\r\nServer: one\r\n\ttwo\r\n\
            Title: Eisvögel\r\nEmpty:\r\ncontent-length: 3\r\n\r\n
            """
        let headers = try #require(try await response(head)).headers
        #expect(headers[.contentType] == "image/png")
        #expect(headers[.server] == "one two")
        #expect(headers[.contentLength] == "3")
        let odd = try #require(HTTPField.Name("x-odd-name"))
        #expect(headers[values: odd] == ["a", "b"])
        #expect(headers[fields: odd].map(\.name.rawName) == ["X-odd-Name", "x-ODD-name"])
        #expect(headers[fields: .contentLength].map(\.name.rawName) == ["content-length"])
        #expect(headers[try #require(HTTPField.Name("Title"))] == "Eisvögel")
        #expect(headers[try #require(HTTPField.Name("Empty"))] == "")
    }

    @Test("keep a field of thousands of folded lines, and no line that goes on with none")
    func manyFoldedLines() async throws {
        let lines = (0..<3_000).map { "\r\n \($0)" }.joined()
        let head = "HTTP/1.1 200 OK\r\nServer: one\(lines)\r\nContent-Length: 3\r\n\r\n"
        let headers = try #require(try await response(head)).headers
        #expect(headers[.server] == "one " + (0..<3_000).map(String.init).joined(separator: " "))
        #expect(headers[.contentLength] == "3" && headers.count == 2)
    }

    @Test(
        "say the length of the body only where it is certain",
        arguments: [
            ("Content-Length: 3", 3), ("CONTENT-LENGTH:3", 3), ("Content-Length: 3\r\nContent-Encoding: identity", 3),
            ("Connection: close", nil),
        ]
    )
    func length(fields: String, expected: Int?) async throws {
        let response = try #require(try await response("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n"))
        #expect(response.expectedBodyBytes == expected)
    }

    @Test("can be changed in one copy, and compare by what they say")
    func copies() async throws {
        let first = try #require(try await response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"))
        var second = first
        second.headers[.eTag] = "x"
        #expect(first.headers[.eTag] == nil && second.headers[.eTag] == "x")
        #expect(first != second)
        second.headers[.eTag] = nil
        #expect(first == second && first.hashValue == second.hashValue)
    }
}
