import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension Fault {
    private static let text = Array(String(repeating: "halcyon ", count: 1250).utf8)
    private static let gzip = GzipFixture.tenThousandBytes

    /// Content codings that are not what they say, and some that are.
    static let codings: [Fault] = [
        Fault("a coding that nobody knows", is: .malformedResponse, coded("xyz", [1])),
        Fault("a known and an unknown coding", is: .malformedResponse, coded("gzip, xyz", gzip)),
        Fault("a body that is not gzip", is: .malformedResponse, coded("gzip", [1, 2, 3])),
        Fault("a body that is not deflate", is: .malformedResponse, coded("deflate", [255, 255, 255, 255])),
        Fault(
            "gzip that breaks inside",
            is: .malformedResponse,
            coded("gzip", gzip[..<10] + [7] + gzip[11...])
        ),
        Fault("gzip with a wrong checksum", is: .malformedResponse, coded("gzip", gzip[..<54] + [0] + gzip[55...])),
        Fault("gzip with a wrong length", is: .malformedResponse, coded("gzip", gzip.dropLast() + [9])),
        Fault("gzip with a length beyond the body", is: .connectionLost, short("gzip", gzip)),
        Fault("two codings", is: .response(200, text), coded("gzip, gzip", GzipFixture.twice)),
        Fault(
            "the same by two fields",
            is: .response(200, text),
            coded("gzip\r\nContent-Encoding: gzip", GzipFixture.twice)
        ),
        Fault("more codings than anyone needs", is: .malformedResponse, coded(manyCodings, gzip)),
        Fault("identity", is: .response(200, [1, 2]), coded("identity", [1, 2])),
        Fault("x-gzip", is: .response(200, text), coded("x-gzip", gzip)),
        Fault("deflate", is: .response(200, text), coded("deflate", CodingFixture.deflate)),
    ]

    private static let manyCodings = Array(repeating: "gzip", count: 100).joined(separator: ", ")

    private static func coded(_ coding: String, _ body: [UInt8]) -> Response {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Response(steps: [.bytes(Array(head.utf8) + body)])
    }

    private static func coded(_ coding: String, _ body: ArraySlice<UInt8>) -> Response {
        coded(coding, Array(body))
    }

    private static func short(_ coding: String, _ body: [UInt8]) -> Response {
        let head: HTTPFields = [.contentEncoding: coding, .contentLength: "\(body.count + 1)"]
        return .scripted(headers: head, .bytes(body), .close)
    }

    /// What this libcurl may have been built without.
    static func coding(_ name: String, _ body: [UInt8]) -> [Fault] {
        [
            Fault(name, is: .response(200, text), coded(name, body)),
            Fault("a body that is not \(name)", is: .malformedResponse, coded(name, [255, 255, 255, 255])),
            Fault(
                "\(name) that breaks inside",
                is: .malformedResponse,
                coded(name, body[..<8] + [255, 255, 255, 255])
            ),
        ]
    }
}

@Suite("content codings")
struct ContentCodingTests {
    @Test("that are not what they say are an error", arguments: Fault.codings)
    func codings(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("of newer kinds are undone, or an error, if this libcurl has them", arguments: ["br", "zstd"])
    func newer(name: String) async throws {
        let accepted = try await withServer { _ in
            .init()
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url()))
            return server.requests.first?.headers[.acceptEncoding] ?? ""
        }
        guard accepted.split(separator: ", ").contains(Substring(name)) else { return }
        for fault in Fault.coding(name, name == "br" ? CodingFixture.brotli : CodingFixture.zstd) {
            try await expectNoProblems(fault)
        }
    }

    @Test("with a bomb inside are stopped by their decoded size, small as they are on the wire")
    func bomb() async throws {
        // 4 kB that stand for 4 MB, and the limit is a quarter of that.
        let body = GzipFixture.bombHead + [UInt8](repeating: 0, count: 4096)
        try await withServer { request in
            request.path == "/good" ? .init(body: [1]) : .init(headers: [.contentEncoding: "gzip"], body: body)
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.bodyBytes = 1 << 20
            let receiver = await receive(transport, request)
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 1 << 20))
            #expect(receiver.body.count <= 1 << 20)
            // It came in pieces: nobody held all that it stands for.
            #expect(receiver.pieceCount > 16)
            #expect(await receive(transport, .patient(url: server.url("/good"))).body == Data([1]))
        }
    }
}
