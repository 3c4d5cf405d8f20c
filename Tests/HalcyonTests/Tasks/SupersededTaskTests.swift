import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A task whose place another one takes")
struct SupersededTaskTests {
    private let test = TestPipeline()
    private let urls = (0..<2).map { Sample.url("\($0).png") }

    @Test("is cancelled, or goes on for the caches", arguments: SupersededPolicy.allCases)
    func policies(policy: SupersededPolicy) async throws {
        let tasks = [test.pipeline.task(for: urls[0]), test.pipeline.task(for: urls[1])]
        let transfers = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        let first = try #require(transfers.first { $0.request.url == urls[0] })
        tasks[0].supersede(by: tasks[1], policy: policy)
        let priority: LoadPriority = policy == .finishAtLowPriority ? .low : .normal
        #expect(tasks[0].priority == priority && tasks[1].priority == .normal)
        if policy == .cancel { await first.waitUntilCancelled() } else { #expect(first.priority == priority) }
        for transfer in transfers { transfer.answer(.init(body: Sample.png())) }
        _ = try await tasks[1].response
        _ = try? await tasks[0].response
        await test.settle()
        #expect((test.pipeline.responseFromMemory(for: urls[0]) != nil) == (policy != .cancel))
    }

    /// Supersedes a task by one of another request for the same bytes, and expects one transfer for both.
    private func expectOneTransfer(_ first: ImageRequest, _ second: ImageRequest) async throws {
        let superseded = test.pipeline.task(for: first)
        let transfer = await test.transport.nextTransfer()
        // A second transfer would be answered at once.
        test.transport.serve(urls[0], Sample.png())
        let task = test.pipeline.task(for: second)
        superseded.supersede(by: task, policy: .cancel)
        await #expect(throws: CancellationError.self) { try await superseded.response }
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        #expect(test.transport.startedCount == 1 && !transfer.isCancelled)
        await test.settle()
    }

    @Test("leaves its work to an equal one")
    func equal() async throws {
        try await expectOneTransfer(ImageRequest(urls[0]), ImageRequest(urls[0]))
    }

    @Test("leaves its transfer to one with other processors")
    func sameSource() async throws {
        let processed = ImageRequest(urls[0], options: [.processor(.resize(to: .pixels(8, 8)))])
        try await expectOneTransfer(ImageRequest(urls[0]), processed)
    }

    @Test("leaves its transfer to one with another key", arguments: [false, true])
    func otherKey(isPost: Bool) async throws {
        // The response to a POST has no key: each load has one of its own.
        var request = TransferRequest(url: urls[0])
        if isPost { request.method = .post }
        let sources = ["a", "b"].map { Source.request(request, cacheKey: isPost ? nil : $0) }
        try await expectOneTransfer(ImageRequest(sources[0]), ImageRequest(sources[1]))
    }
}
