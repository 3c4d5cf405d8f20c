import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

extension Fault {
    private static let text = Array(String(repeating: "halcyon ", count: 1250).utf8)
    private static let gzip = GzipFixture.tenThousandBytes

    /// Content codings that are not what they say, and some that are.
    static let codings: [Fault] = [
        Fault("a coding that nobody knows", is: .response(200, [1]), coded("xyz", [1])),
        Fault("a known coding before an unknown one", is: .response(200, text), coded("gzip, xyz", gzip)),
        Fault("a known coding after an unknown one", is: .response(200, text), coded("aws-chunked,gzip", gzip)),
        Fault("a character set as a coding", is: .response(200, [1, 2]), coded("utf-8", [1, 2])),
        Fault("a short body in a coding that nobody knows", is: .connectionLost, short("aws-chunked", [1, 2])),
        Fault("a body that is not gzip", is: .malformedResponse, coded("gzip", [1, 2, 3])),
        Fault("a body that is not deflate", is: .malformedResponse, coded("deflate", [255, 255, 255, 255])),
        Fault(
            "gzip that breaks inside",
            is: .malformedResponse,
            coded("gzip", gzip[..<10] + [7] + gzip[11...])
        ),
        Fault("gzip with a wrong checksum", is: .malformedResponse, coded("gzip", gzip[..<54] + [0] + gzip[55...])),
        Fault("gzip with a wrong length", is: .malformedResponse, coded("gzip", gzip.dropLast() + [9])),
        Fault("gzip with a length beyond the body", is: .response(200, text), short("gzip", gzip)),
        Fault("gzip that is cut off before its length", is: .connectionLost, short("gzip", gzip.dropLast())),
        Fault("gzip without a checksum", is: .response(200, text), coded("gzip", gzip.dropLast(8))),
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
        Fault(
            "deflate without the zlib format",
            is: .response(200, CodedFixture.text),
            coded("deflate", CodedFixture.raw)
        ),
        Fault("brotli, which nobody asked for", is: .response(200, [27, 1, 0]), coded("br", [27, 1, 0])),
        Fault("an empty body in gzip", is: .response(200), coded("gzip", [])),
        Fault("an empty body in a coding that nobody knows", is: .response(200), coded("xyz", [])),
        Fault("gzip in two members", is: .response(200, text + text), coded("gzip", gzip + gzip)),
        Fault("gzip and garbage", is: .response(200, text), coded("gzip", gzip + [1, 2, 3])),
        Fault("gzip and the beginning of a member", is: .malformedResponse, coded("gzip", gzip + [31, 139])),
        Fault("gzip and zeros", is: .response(200, text), coded("gzip", gzip + [0, 0, 0])),
        Fault("a coded part", is: .malformedResponse, coded("gzip", gzip[20..<40], status: 206)),
        Fault("204 in gzip", is: .response(204), .scripted(204, headers: [.contentEncoding: "gzip"])),
        Fault("304 in gzip", is: .response(304), .scripted(304, headers: [.contentEncoding: "gzip"])),
        Fault(
            "gzip for HEAD",
            is: .response(200),
            .scripted(headers: [.contentEncoding: "gzip", .contentLength: "62"]),
            method: .head
        ),
        Fault("chunked gzip", is: .response(200, text), .chunked(headers: head, chunks: gzip.map { [$0] })),
        Fault(
            "chunked gzip that ends in the middle",
            is: .malformedResponse,
            .chunked(headers: head, chunks: [Array(gzip[..<40])])
        ),
        Fault(
            "gzip as long as the connection",
            is: .response(200, text),
            .scripted(headers: head, .bytes(gzip), .close)
        ),
        Fault(
            "gzip as long as a connection that ends in the middle",
            is: .connectionLost,
            .scripted(headers: head, .bytes(Array(gzip[..<40])), .close)
        ),
        Fault(
            "gzip as a transfer coding",
            is: .malformedResponse,
            .scripted(headers: [.transferEncoding: "gzip, chunked"], .bytes(Response.chunk(gzip) + Response.chunk([])))
        ),
    ]

    private static let head: HTTPFields = [.contentEncoding: "gzip"]
    private static let manyCodings = Array(repeating: "gzip", count: 100).joined(separator: ", ")

    private static func coded(_ coding: String, _ body: [UInt8], status: Int = 200) -> Response {
        let head = "HTTP/1.1 \(status) OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Response(steps: [.bytes(Array(head.utf8) + body)])
    }

    private static func coded(_ coding: String, _ body: ArraySlice<UInt8>, status: Int = 200) -> Response {
        coded(coding, Array(body), status: status)
    }

    private static func short(_ coding: String, _ body: [UInt8]) -> Response {
        let head: HTTPFields = [.contentEncoding: coding, .contentLength: "\(body.count + 1)"]
        return .scripted(headers: head, .bytes(body), .close)
    }
}

@Suite("content codings")
struct ContentCodingTests {
    @Test("that are not what they say are an error", arguments: Fault.codings)
    func codings(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("that are cut off, with a length that says so, are never a shorter body, wherever that is")
    func truncation() async throws {
        try await withServer { request in
            let length = Int(request.path.dropFirst()) ?? 0
            return .init(headers: [.contentEncoding: "gzip"], body: Array(CodedFixture.gzip[..<length]))
        } _: { server, transport in
            for length in 1...CodedFixture.gzip.count {
                let receiver = await receive(transport, .patient(url: server.url("/\(length)")))
                // The checksum may be missing as a whole.
                let isWhole = [0, 8].contains(CodedFixture.gzip.count - length)
                #expect(await receiver.failure()?.code == (isWhole ? nil : "malformedResponse"), "\(length)")
                #expect(receiver.violations == [])
            }
            // What was wrong were the bodies, not the connection.
            #expect(server.connectionCount == 1)
        }
    }

    @Test("are asked for as far as they can be undone, and not for a part")
    func request() async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url()))
            _ = await receive(transport, .patient(url: server.url(), headers: [.range: "bytes=0-"]))
            _ = await receive(transport, .patient(url: server.url(), headers: [.acceptEncoding: "gzip;q=0.5"]))
            let accepted = server.requests.map { $0.headers[.acceptEncoding] }
            #expect(accepted == ["gzip, deflate", "identity", "gzip;q=0.5"])
        }
    }

    @Test("do not confuse the figures: bytes on the wire are coded ones, and the length of the content is not known")
    func metrics() async throws {
        try await withServer { _ in
            .init(headers: [.contentEncoding: "gzip"], body: GzipFixture.tenThousandBytes)
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(receiver.response?.expectedBodyBytes == nil)
            #expect(receiver.body.count == 10_000)
            let metrics = try await receiver.result().get()
            #expect(metrics.bodyBytesReceived == GzipFixture.tenThousandBytes.count)
        }
    }

    @Test("that stand for much wait in the middle of a piece, and lose and repeat nothing", arguments: [1, 2, 3])
    func pause(every interval: Int) async throws {
        // One piece on the wire, which stands for 2 MB, and a second one.
        let body = GzipFixture.bombHead + [UInt8](repeating: 0, count: 2048)
        let gate = Gate()
        try await withServer { _ in
            .scripted(
                headers: [.contentEncoding: "gzip", .contentLength: "\(body.count)"],
                .bytes(Array(body[..<1000])),
                .wait(gate),
                .bytes(Array(body[1000...]))
            )
        } _: { server, transport in
            let slot = TransferSlot()
            let (pauses, continuation) = AsyncStream<Void>.makeStream()
            let count = Lock(0)
            let receiver = RecordingReceiver(
                onBytes: { _ in
                    gate.open()
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    guard number % interval == 0 else { return .proceed }
                    continuation.yield()
                    return .pause
                },
                onCompletion: { _ in continuation.finish() }
            )
            slot.fill(transport.start(.patient(url: server.url()), receiver: receiver))
            for await _ in pauses { slot.wait().resume() }
            // It has no end, which is found out only when all else has been handed on.
            #expect(await receiver.failure()?.code == "malformedResponse")
            #expect(receiver.body.count > 2000 * 1000 && receiver.body.allSatisfy { $0 == 0 })
            #expect(receiver.violations == [])
        }
    }

    @Test("that wait in the middle of a piece can be cancelled")
    func cancelWhilePaused() async throws {
        try await withServer { _ in
            .init(headers: [.contentEncoding: "gzip"], body: GzipFixture.bombHead + [UInt8](repeating: 0, count: 512))
        } _: { server, transport in
            let paused = Gate()
            let receiver = RecordingReceiver(onBytes: { _ in
                paused.open()
                return .pause
            })
            let transfer = transport.start(.patient(url: server.url()), receiver: receiver)
            await paused.wait()
            #expect(receiver.completionCount == 0)
            transfer.cancel()
            #expect(await receiver.failure() == .cancelled)
            #expect(receiver.pieceCount == 1)
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
