import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A response")
struct DownloadResponseTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    private func download(
        status: Int = 200,
        headers: HTTPFields = [:],
        request: TransferRequest? = nil,
        policy: NetworkPolicy = NetworkPolicy()
    ) async throws -> HTTPResponseBody {
        let task = test.downloader.task(for: request ?? TransferRequest(url: url), policy: policy)
        await test.transport.nextTransfer().answer(.init(status: status, headers: headers, body: Data([1])))
        return try await task.body
    }

    @Test("is an error outside 200..<400", arguments: [(199, false), (200, true), (399, true), (400, false)])
    func statuses(status: Int, isAccepted: Bool) async {
        let reason = await reason { try await download(status: status) }
        #expect(reason == (isAccepted ? nil : .status(status)))
    }

    @Test("is an error outside the request's own range, which goes before the downloader's")
    func ownStatuses() async {
        let policy = NetworkPolicy.with { $0.acceptedStatusCodes = 404..<405 }
        #expect(await reason { try await download(status: 404, policy: policy) } == nil)
        #expect(await reason { try await download(status: 200, policy: policy) } == .status(200))
        let strict = TestDownloader(.with { $0.acceptedStatusCodes = 200..<201 })
        strict.transport.serve(url, Data([1]), status: 404)
        #expect(await reason { try await strict.downloader.download(from: url) } == .status(404))
        #expect(await reason { try await strict.downloader.download(from: url, policy: policy) } == nil)
    }

    @Test("304 is an error unless the request was conditional")
    func notModified() async {
        #expect(await reason { try await download(status: 304) } == .status(304))
        let conditional = TransferRequest(url: url, headers: [.ifNoneMatch: "\"1\""])
        #expect(await reason { try await download(status: 304, request: conditional) } == nil)
    }

    @Test(
        "is an error if its type is not accepted",
        arguments: [
            ("image/png", true), ("IMAGE/PNG; q=1", true), ("image/webp", true), ("text/html", false),
            ("imagery/png", false), ("application/octet-stream", true), ("", false),
        ]
    )
    func contentTypes(type: String, isAccepted: Bool) async {
        let policy = NetworkPolicy.with { $0.acceptedContentTypes = ["image/*", "Application/Octet-Stream"] }
        let headers: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let reason = await reason { try await download(headers: headers, policy: policy) }
        #expect(reason == (isAccepted ? nil : .contentType(type.isEmpty ? nil : type)))
    }

    @Test("is judged by its head: the body of one that is refused is not waited for", arguments: [404, 200])
    func headFirst(status: Int) async {
        let policy = NetworkPolicy.with { $0.acceptedContentTypes = ["image/*"] }
        let task = test.downloader.task(for: url, policy: policy)
        let transfer = await test.transport.nextTransfer()
        transfer.respond(status: status, headers: [.contentType: "text/html", .contentLength: "1000000"])
        #expect(await reason { try await task.body } == (status == 200 ? .contentType("text/html") : .status(404)))
    }

    @Test("is refused by hooks before its body is received")
    func veto() async throws {
        let marker = try #require(HTTPField.Name("X-Wanted"))
        let gate = Gate()
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.response { response in
                await gate.wait()
                return response.headers[marker] == nil ? nil : response
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "3"])
        transfer.send([1])
        #expect(task.progress.receivedBytes == 0)
        gate.open()
        #expect(await reason { try await task.body } == .responseRejected(nil))
        await transfer.waitUntilCancelled()

        let wanted = try await download(headers: [marker: "1"], policy: policy)
        #expect(wanted.data == Data([1]))
    }

    @Test("that hooks are busy with can be cancelled, and its urgency changed")
    func duringReview() async throws {
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.response { response in
                await Gate().wait()
                return response
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        task.priority = .veryHigh
        await eventually { transfer.priority == .veryHigh }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.body }
    }

    @Test("has the status and headers that hooks give it, for checks and callers")
    func modifier() async throws {
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.response { response in
                var response = response
                response.status = 200
                response.headers[.contentType] = "image/png"
                return response
            }
            $0.acceptedContentTypes = ["image/png"]
        }
        let body = try await download(status: 404, policy: policy)
        #expect(body.response.status == 200)
        #expect(body.response.headers[.contentType] == "image/png")
        await test.settle()
        #expect(test.log.words == ["started", "responded 404", "finished"])
    }

    @Test("is refused by hooks that throw")
    func throwing() async {
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.response { _ in throw TransferError.cancelled }
        }
        #expect(
            await reason { try await download(policy: policy) }
                == .responseRejected("\(TransferError.cancelled)")
        )
    }

    @Test("has its body decrypted by hooks, the downloader's first, once for all who share it")
    func decryption() async throws {
        let count = Lock(0)
        let adding = TestHooks.body { data, _ in
            count.withLock { $0 += 1 }
            return Data(data.map { $0 &+ 1 })
        }
        let doubling = TestHooks.body("doubled") { data, _ in Data(data.map { $0 &* 2 }) }
        let test = TestDownloader(.with { $0.hooks = adding })
        let tasks = (0..<5).map { _ in
            test.downloader.task(for: url, policy: .with { $0.hooks = doubling })
        }
        let transfer = await test.transport.nextTransfer()
        await test.waiters(5)
        transfer.answer(.init(body: Data([1, 2])))
        for task in tasks { #expect(try await task.body.data == Data([4, 6])) }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("whose body hooks reject fails, with one finish event that says so")
    func rejectedData() async {
        let policy = NetworkPolicy.with { $0.hooks = TestHooks.body { _, _ in nil } }
        #expect(await reason { try await download(policy: policy) } == .dataRejected(nil))
        await test.settle()
        #expect(test.log.words == ["started", "responded 200", "finished dataRejected"])
    }

    @Test("can be decrypted for a pipeline, whose caches keep the plain bytes")
    func pipeline() async throws {
        let test = TestPipeline()
        let decryption = TestHooks.body("inverted") { data, _ in Data(data.map { ~$0 }) }
        let policy: [ImageOption] = [.hooks(decryption), .includesOriginalData]
        test.transport.serve(url, Data(Sample.png().map { ~$0 }))
        let response = try await test.pipeline.response(for: url, options: policy)
        #expect(response.data == Sample.png())
        await test.settle()
        let data = try await test.pipeline.data(for: url, options: policy)
        #expect(firstDifference(data, Sample.png()) == nil)
        #expect(test.transport.startedCount == 1)
    }
}
