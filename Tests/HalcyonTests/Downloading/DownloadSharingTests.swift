import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Callers of a downloader")
struct DownloadSharingTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    @Test("who want the same at the same time share one transfer, each with its result")
    func shared() async throws {
        let tasks = (0..<10).map { _ in test.downloader.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        await test.waiters(10)
        transfer.answer(.init(body: Data([1, 2, 3])))
        for task in tasks {
            #expect(try await task.body.data == Data([1, 2, 3]))
        }
        #expect(test.transport.startedCount == 1)
    }

    @Test("who join while the body arrives get its progress at once")
    func lateJoiner() async throws {
        let first = test.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "4"])
        transfer.send([1, 2])
        let late = test.downloader.task(for: url)
        for await progress in late.progressUpdates where progress.receivedBytes == 2 {
            #expect(progress.expectedBytes == 4)
            break
        }
        transfer.send([3, 4])
        transfer.finish()
        #expect(try await firstDifference(first.body.data, late.body.data) == nil)
        #expect(late.progress == ImageProgress(receivedBytes: 4, expectedBytes: 4))
        #expect(test.transport.startedCount == 1)
    }

    @Test("who differ in method, header, body, credential or the handling of the response do not share")
    func identity() async throws {
        let plain = TransferRequest(url: url)
        var requests = Array(repeating: plain, count: 5)
        requests[1].method = .post
        requests[2].headers[.authorization] = "Bearer one"
        requests[3].body = Data([1])
        requests[4].credential = .bearer("one")
        let tasks = requests.map { test.downloader.task(for: $0) }
        let types = test.downloader.task(for: plain, policy: .with { $0.acceptedContentTypes = ["*/*"] })
        await test.waiters(6)
        await eventually { [test] in test.transport.startedCount == 6 }
        for _ in 0..<6 { await test.transport.nextTransfer().answer(.init(body: Data([1]))) }
        for task in tasks + [types] { _ = try await task.body }
    }

    @Test("who differ in urgency, trace headers or the order of headers do share")
    func irrelevant() async throws {
        let trace = try #require(HTTPField.Name("traceparent"))
        var first = TransferRequest(url: url, headers: [.accept: "image/*", .acceptLanguage: "da"])
        first.headers[trace] = "one"
        var second = TransferRequest(url: url, headers: [.acceptLanguage: "da", .accept: "image/*"], priority: .high)
        second.headers[trace] = "two"
        let tasks = [first, second].map { test.downloader.task(for: $0) }
        let transfer = await test.transport.nextTransfer()
        await test.waiters(2)
        transfer.answer(.init(body: Data([1])))
        for task in tasks { _ = try await task.body }
        #expect(test.transport.startedCount == 1)
    }

    @Test("who differ in a credential do not share, even if its header is to make no difference")
    func credentials() async throws {
        let transport = ScriptedTransport()
        let ignored: Set<HTTPField.Name> = [.authorization, .cookie, .accept]
        let downloader = ImageDownloader(
            transport: transport,
            configuration: .init(headersIgnoredForSharing: ignored)
        )
        let headers: [HTTPFields] = [
            [.accept: "a"], [.accept: "b"], [.authorization: "a"], [.authorization: "b"], [.cookie: "a"],
        ]
        let tasks = headers.map { downloader.task(for: TransferRequest(url: url, headers: $0)) }
        await eventually { downloader.transfers.waiterCount == headers.count }
        await eventually { transport.startedCount >= 4 }
        #expect(transport.startedCount == 4)
        for _ in 0..<4 { await transport.nextTransfer().answer(.init(body: Data([1]))) }
        for task in tasks { _ = try await task.body }
    }

    @Test("who ask after the end start anew")
    func afterTheEnd() async throws {
        test.transport.serve(url, Data([1]))
        _ = try await test.downloader.download(from: url)
        _ = try await test.downloader.download(from: url)
        #expect(test.transport.startedCount == 2)
    }

    @Test("who ask right after the last one cancelled start anew and succeed")
    func afterCancelling() async throws {
        let first = test.downloader.task(for: url)
        let abandoned = await test.transport.nextTransfer()
        first.cancel()
        let second = test.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.answer(.init(body: Data([2])))
        await #expect(throws: CancellationError.self) { try await first.body }
        #expect(try await second.body.data == Data([2]))
        await abandoned.waitUntilCancelled()
    }

    @Test("give a transfer the highest priority among them, at any moment")
    func priority() async throws {
        let low = test.downloader.task(for: TransferRequest(url: url, priority: .low))
        let transfer = await test.transport.nextTransfer()
        let high = test.downloader.task(for: TransferRequest(url: url, priority: .high))
        await eventually { transfer.priority == .high }
        high.cancel()
        await eventually { transfer.priority == .low }
        low.priority = .veryHigh
        await eventually { transfer.priority == .veryHigh }
        transfer.answer(.init(body: Data([1])))
        _ = try await low.body
    }

    @Test("of the pipeline and of its downloader share a transfer")
    func pipeline() async throws {
        let test = TestPipeline()
        let direct = test.pipeline.configuration.downloader.task(for: url)
        let image = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        await eventually { test.pipeline.configuration.downloader.transfers.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await firstDifference(direct.body.data, Sample.png()) == nil)
        #expect(try await image.image.size == PixelSize(64, 48))
        #expect(test.transport.startedCount == 1)
    }

    @Test("get their result any number of times")
    func repeatedly() async throws {
        test.transport.serve(url, Data([1]))
        let task = test.downloader.task(for: url)
        for _ in 0..<3 { #expect(try await task.result.get().data == Data([1])) }
    }
}
