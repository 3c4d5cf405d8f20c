import FoundationEssentials
import HTTPTypes
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("an interrupted body")
struct ResumedBodyTests {
    private static let body = ResumeFixture.body
    private static let half = body.count / 2

    @Test(
        "is gone on with after a restart, from where it was, as the 200 it would have been",
        arguments: [1, 1_000, 64 << 10, 300_000, body.count - 1],
        [64 << 10, 4 << 20]
    )
    func restart(count: Int, threshold: Int) async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(count), ResumeFixture.ranged()])
        guard case .connectionLost? = await fixture.interrupt(threshold: threshold) else {
            Issue.record("it was not interrupted")
            return
        }
        #expect(fixture.partialFiles.count == 2)
        #expect(fixture.folder.openFiles().isEmpty)
        let log = ProgressLog()
        let body = try await fixture.load(threshold: threshold, report: { log.add($0) })
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(body.response.status == 200 && body.response.expectedBodyBytes == Self.body.count)
        #expect(body.response.headers[.contentType] == "image/png")
        #expect(body.response.headers[.contentLength] == "\(Self.body.count)")
        #expect(body.response.headers[.contentRange] == nil)
        #expect(body.metrics.bodyBytesReceived == Self.body.count - count)
        #expect(log.all.allSatisfy { $0.receivedBytes > count && $0.expectedBytes == Self.body.count })
        #expect(log.all.last?.receivedBytes == Self.body.count)
        #expect(fixture.ranges == [nil, "bytes=\(count)-"])
        #expect(fixture.server.requests.last?.headers[.ifRange] == "\"v1\"")
        #expect(fixture.server.requests.last?.headers[.acceptEncoding] == "identity")
        // Exactly once: what is complete is gone.
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("is gone on with as often as it takes", arguments: [64 << 10, 4 << 20])
    func often(threshold: Int) async throws {
        let step = 200_000
        let fixture = try ResumeFixture([ResumeFixture.cut(step), ResumeFixture.ranged(cutAfter: step)])
        for _ in 0..<5 { #expect(await fixture.interrupt(threshold: threshold) != nil) }
        #expect(try await firstDifference(fixture.load(threshold: threshold).data, Self.body) == nil)
        #expect(fixture.ranges == [nil] + (1...5).map { "bytes=\($0 * step)-" })
        #expect(fixture.partialFiles.isEmpty)
    }

    @Test("whose length was not known is gone on with too")
    func chunked() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half, isChunked: true), ResumeFixture.ranged()])
        await fixture.interrupt()
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-"])
    }

    @Test("that was cancelled is kept", arguments: [64 << 10, 4 << 20])
    func cancelled(threshold: Int) async throws {
        let never = Gate()
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half, at: never), ResumeFixture.ranged()])
        let arrived = Gate()
        let task = Task {
            try await fixture.load(
                threshold: threshold,
                report: { if $0.receivedBytes == Self.half { arrived.open() } }
            )
        }
        await arrived.wait()
        task.cancel()
        await #expect(throws: TransferError.cancelled) { try await task.value }
        #expect(try await firstDifference(fixture.load(threshold: threshold).data, Self.body) == nil)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-"])
    }

    @Test("that changed meanwhile, or whose server knows no ranges, comes as the new whole", arguments: [true, false])
    func changed(knowsRanges: Bool) async throws {
        let new = pattern(700_000, seed: 9)
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half),
            knowsRanges ? ResumeFixture.ranged(new, tag: "\"v2\"") : ResumeFixture.answer(body: new),
        ])
        await fixture.interrupt()
        #expect(try await firstDifference(fixture.load().data, new) == nil)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-"])
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("that changed and is interrupted again is kept in its new version")
    func changedAndCut() async throws {
        let new = pattern(700_000, seed: 9)
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half), ResumeFixture.cut(300_000, of: new, headers: [.eTag: "\"v2\""]),
            ResumeFixture.ranged(new, tag: "\"v2\""),
        ])
        await fixture.interrupt()
        await fixture.interrupt()
        #expect(try await firstDifference(fixture.load().data, new) == nil)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-", "bytes=300000-"])
    }

    @Test(
        "is asked for as a whole, once, when a part does not fit: 206 for another range, 416, several parts",
        arguments: [
            (206, [.contentRange: "bytes 0-524287/1048576"]), (206, [.contentRange: "bytes 524288-1048575/*"]),
            (206, [.contentRange: "bytes 524288-1048575/1048576", .eTag: "\"v2\""]), (206, [:]),
            (206, [.contentType: "multipart/byteranges; boundary=x"]), (416, [.contentRange: "bytes */1048576"]),
            (416, [:]),
        ] as [(Int, HTTPFields)]
    )
    func unfitting(status: Int, headers: HTTPFields) async throws {
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half),
            ResumeFixture.answer(status, headers: headers, body: [UInt8](repeating: 0, count: Self.half)),
            ResumeFixture.ranged(),
        ])
        await fixture.interrupt()
        let body = try await fixture.load()
        #expect(body.data == Data(Self.body) && body.response.status == 200)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-", nil])
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("that is all there is done when the server says so")
    func complete() async throws {
        // All bytes came, but the end of the chunked coding did not.
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.body.count, isChunked: true), ResumeFixture.ranged()])
        await fixture.interrupt()
        let body = try await fixture.load()
        #expect(body.data == Data(Self.body) && body.response.status == 200)
        #expect(body.response.headers[.contentType] == "image/png")
        #expect(fixture.ranges == [nil, "bytes=\(Self.body.count)-"])
        #expect(fixture.partialFiles.isEmpty)
    }

    @Test("outlives an error of its server")
    func serverError() async throws {
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half), ResumeFixture.answer(503, body: pattern(100_000)), ResumeFixture.ranged(),
        ])
        await fixture.interrupt()
        let error = try await fixture.load()
        #expect(error.response.status == 503 && error.data == Data(pattern(100_000)))
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-", "bytes=\(Self.half)-"])
    }

    @Test("is not kept if it is not worth it, or must not be", arguments: [64 << 10, 4 << 20])
    func notKept(threshold: Int) async throws {
        for headers in [[:], [.eTag: "W/\"v1\""], [.eTag: "\"v1\"", .cacheControl: "no-store"]] as [HTTPFields] {
            let fixture = try ResumeFixture([ResumeFixture.cut(Self.half, headers: headers)])
            #expect(await fixture.interrupt(threshold: threshold) != nil)
            #expect(fixture.folder.files.isEmpty && fixture.folder.openFiles().isEmpty)
        }
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half)])
        await fixture.interrupt(threshold: threshold, store: fixture.store { $0.minimumBytes = Self.half + 1 })
        await fixture.interrupt(threshold: threshold, store: fixture.store { $0.maximumBytes = Self.half })
        #expect(fixture.folder.files.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("is not touched by a request with a range of its own")
    func ownRange() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half), ResumeFixture.ranged()])
        await fixture.interrupt()
        let part = try await fixture.load { request in
            request.headers[.range] = "bytes=7-"
            request.headers[.ifRange] = "\"v1\""
        }
        #expect(part.response.status == 206 && part.data == Data(Self.body[7...]))
        #expect(fixture.partialFiles.count == 2)
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, "bytes=7-", "bytes=\(Self.half)-"])
    }

    @Test("beyond the limit of its request is refused, however little is missing")
    func limit() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.body.count - 10), ResumeFixture.ranged()])
        await fixture.interrupt()
        await #expect(throws: TransferError.bodyTooLarge(maximum: Self.body.count - 1)) {
            try await fixture.load { $0.limits.bodyBytes = Self.body.count - 1 }
        }
        #expect(fixture.folder.openFiles().isEmpty)
    }

    @Test(
        "a part that nobody asked for is no body",
        arguments: [
            "bytes 0-9/20", "bytes 1-10/11", "bytes 0-8/9", "bytes 0-9/*", "bytes 0-10/*", "bytes 0-10/11",
            "bytes */10", "bytes 0-9", "bytes 0-9223372036854775807/*", "rubbish", nil,
        ]
    )
    func unaskedPart(range: String?) async throws {
        let fixture = try ResumeFixture([
            { _ in .init(206, headers: range.map { [.contentRange: $0] } ?? [:], body: pattern(10)) }
        ])
        let error = await fixture.interrupt()
        guard case .malformedResponse? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test(
        "a part that nobody asked for, and that is everything, is the whole body",
        arguments: ["bytes 0-9/10"]
    )
    func unaskedWhole(range: String) async throws {
        let fixture = try ResumeFixture([
            { _ in .init(206, headers: [.contentRange: range, .eTag: "\"v1\""], body: pattern(10)) }
        ])
        let whole = try await fixture.load()
        #expect(whole.response.status == 200 && whole.response.headers[.contentRange] == nil)
        #expect(whole.response.expectedBodyBytes == 10 && whole.data == Data(pattern(10)))
        let head = try await fixture.load { $0.method = .head }
        #expect(head.response.status == 200 && head.data.isEmpty)
    }

    @Test("a part that says it is everything, and then is not, is lost", arguments: [9, 11])
    func unaskedWholeOfOtherLength(count: Int) async throws {
        let fixture = try ResumeFixture([
            { _ in .chunked(206, headers: [.contentRange: "bytes 0-9/10"], chunks: [pattern(count)]) }
        ])
        #expect(await fixture.interrupt()?.code == (count < 10 ? "connectionLost" : "malformedResponse"))
        #expect(fixture.folder.openFiles().isEmpty)
    }

    @Test("a part that nobody asked for, and that is everything, is undone if it is coded")
    func unaskedCodedWhole() async throws {
        let fixture = try ResumeFixture([
            { _ in
                let range = "bytes 0-\(GzipFixture.tenThousandBytes.count - 1)/\(GzipFixture.tenThousandBytes.count)"
                return .init(
                    206,
                    headers: [.contentRange: range, .contentEncoding: "gzip"],
                    body: GzipFixture.tenThousandBytes
                )
            }
        ])
        let whole = try await fixture.load()
        #expect(whole.response.status == 200 && whole.data.count == 10_000)
    }

    @Test("belongs to one transfer at a time: a second one begins at the beginning, and harms nothing")
    func concurrent() async throws {
        let cut = Gate()
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half, at: cut), ResumeFixture.cut(100_000), ResumeFixture.ranged(),
        ])
        let arrived = Gate()
        let first = Task {
            try await fixture.load(report: { if $0.receivedBytes == Self.half { arrived.open() } })
        }
        await arrived.wait()
        // The second is cut off as well: what it had is not kept in place of the first one's.
        #expect(await fixture.interrupt() != nil)
        cut.open()
        await #expect(throws: TransferError.self) { try await first.value }
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, nil, "bytes=\(Self.half)-"])
        #expect(fixture.partialFiles.isEmpty)
    }
}
