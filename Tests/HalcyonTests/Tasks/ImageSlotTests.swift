import FoundationEssentials
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The loads of one slot")
struct ImageSlotTests {
    private let test = TestPipeline()
    private let urls = (0..<3).map { Sample.url("\($0).png") }

    /// The ends of loads, as words with the number of the load.
    private final class Ends: Sendable {
        private let state = Lock<[String]>([])

        var words: [String] { state.withLock { $0 } }

        func add(_ number: Int) -> @Sendable (Result<ImageResponse, any Error>) -> Void {
            { [self] result in
                let word =
                    switch result {
                    case .success: "image"
                    case .failure(is ImageSlot.SupersededError): "superseded"
                    case .failure(is CancellationError): "cancelled"
                    case .failure: "failed"
                    }
                state.withLock { $0.append("\(number) \(word)") }
            }
        }
    }

    private func load(_ number: Int, in slot: ImageSlot, _ ends: Ends) -> ImageTask {
        slot.loadImage(with: ImageRequest(urls[number]), on: .calling, completion: ends.add(number))
    }

    @Test(
        "give the latest its result alone, whichever ends first",
        arguments: ImageSlot.SupersededPolicy.allCases,
        [false, true]
    )
    func orders(policy: ImageSlot.SupersededPolicy, latestEndsFirst: Bool) async throws {
        let slot = ImageSlot(pipeline: test.pipeline, supersededPolicy: policy)
        let ends = Ends()
        let first = load(0, in: slot, ends)
        let firstTransfer = await test.transport.nextTransfer()
        let second = load(1, in: slot, ends)
        #expect(ends.words == ["0 superseded"])
        #expect(slot.task == second)
        let secondTransfer = await test.transport.nextTransfer()
        let order = [(firstTransfer, first), (secondTransfer, second)]
        for (transfer, task) in latestEndsFirst ? order.reversed() : order {
            transfer.answer(.init(body: Sample.png()))
            _ = try? await task.response
        }
        await eventually { slot.task == nil }
        await test.settle()
        #expect(ends.words == ["0 superseded", "1 image"])
        let isInMemory = test.pipeline.responseFromMemory(for: urls[0]) != nil
        #expect(isInMemory == (policy != .cancel))
        #expect(firstTransfer.isCancelled == (policy == .cancel))
    }

    @Test("let a superseded one go on at low priority if that is asked for")
    func lowPriority() async throws {
        let slot = ImageSlot(pipeline: test.pipeline, supersededPolicy: .finishAtLowPriority)
        let ends = Ends()
        let first = load(0, in: slot, ends)
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.priority == .normal)
        _ = load(1, in: slot, ends)
        #expect(first.priority == .low && transfer.priority == .low)
        let second = await test.transport.nextTransfer()
        #expect(second.priority == .normal)
        for transfer in [transfer, second] { transfer.answer(.init(body: Sample.png())) }
        await test.settle()
    }

    @Test("share the work of a request that follows an equal one")
    func equal() async throws {
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        _ = load(0, in: slot, ends)
        let transfer = await test.transport.nextTransfer()
        let second = load(0, in: slot, ends)
        transfer.answer(.init(body: Sample.png()))
        _ = try await second.response
        await eventually { slot.task == nil }
        #expect(ends.words == ["0 superseded", "0 image"])
        #expect(test.transport.startedCount == 1)
    }

    @Test("share the transfer of a request that follows one with other processors")
    func sameSource() async throws {
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        _ = load(0, in: slot, ends)
        let transfer = await test.transport.nextTransfer()
        // A second transfer would be answered at once.
        test.transport.serve(urls[0], Sample.png())
        let options: ImageOptions = [.processor(.resize(to: PixelSize(8, 8)))]
        let request = ImageRequest(urls[0], options: options)
        let second = slot.loadImage(with: request, on: .calling, completion: ends.add(1))
        await eventually { [test] in
            if case .running(.load) = second.state { return true }
            return test.transport.startedCount > 1
        }
        transfer.answer(.init(body: Sample.png()))
        _ = try await second.response
        await eventually { slot.task == nil }
        #expect(ends.words == ["0 superseded", "1 image"])
        #expect(test.transport.startedCount == 1 && !transfer.isCancelled)
        await test.settle()
    }

    @Test("share the transfer of a request that follows one with another key", arguments: [false, true])
    func otherKey(isPost: Bool) async throws {
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        // The response to a POST has no key: each load has one of its own.
        var request = TransferRequest(url: urls[0])
        if isPost { request.method = .post }
        let sources = ["a", "b"].map { Source.request(request, cacheKey: isPost ? nil : $0) }
        _ = slot.loadImage(with: ImageRequest(sources[0]), on: .calling, completion: ends.add(0))
        let transfer = await test.transport.nextTransfer()
        // A second transfer would be answered at once.
        test.transport.serve(urls[0], Sample.png())
        let second = slot.loadImage(with: ImageRequest(sources[1]), on: .calling, completion: ends.add(1))
        await eventually { [test] in
            if case .running(.load) = second.state { return true }
            return test.transport.startedCount > 1
        }
        transfer.answer(.init(body: Sample.png()))
        _ = try await second.response
        await eventually { slot.task == nil }
        #expect(ends.words == ["0 superseded", "1 image"])
        #expect(test.transport.startedCount == 1 && !transfer.isCancelled)
        await test.settle()
    }

    @Test("do not give an image that is ready but not delivered yet once another was begun")
    func undelivered() async throws {
        let slot = ImageSlot(pipeline: test.pipeline)
        let (ends, waiting) = (Ends(), Lock<[@Sendable () -> Void]>([]))
        let executor = CallbackExecutor.custom { work in waiting.withLock { $0.append(work) } }
        test.transport.serve(urls[0], Sample.png())
        test.transport.serve(urls[1], Sample.png())
        slot.loadImage(with: ImageRequest(urls[0]), on: executor, completion: ends.add(0))
        await eventually { waiting.withLock { $0.count } == 1 }
        let second = load(1, in: slot, ends)
        for work in waiting.withLock({ $0 }) { work() }
        _ = try await second.response
        await eventually { slot.task == nil }
        #expect(ends.words.sorted() == ["0 superseded", "1 image"])
    }

    @Test("are ended by one from memory, which is delivered at once")
    func memory() async throws {
        test.transport.serve(urls[1], Sample.png())
        _ = try await test.pipeline.response(for: urls[1])
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        _ = load(0, in: slot, ends)
        _ = await test.transport.nextTransfer()
        _ = load(1, in: slot, ends)
        #expect(ends.words == ["0 superseded", "1 image"])
        #expect(slot.task == nil)
    }

    @Test("end when the slot is cleared, or released")
    func cleared() async {
        let ends = Ends()
        var slot: ImageSlot? = ImageSlot(pipeline: test.pipeline)
        if let slot { _ = load(0, in: slot, ends) }
        let first = await test.transport.nextTransfer()
        slot?.clear()
        #expect(ends.words == ["0 superseded"])
        await first.waitUntilCancelled()
        if let slot { _ = load(1, in: slot, ends) }
        let second = await test.transport.nextTransfer()
        slot = nil
        #expect(ends.words == ["0 superseded", "1 superseded"])
        await second.waitUntilCancelled()
        await test.settle()
    }

    @Test("are cancelled as any other, and the slot takes the next")
    func cancelled() async {
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        let task = load(0, in: slot, ends)
        _ = await test.transport.nextTransfer()
        task.cancel()
        await eventually { slot.task == nil }
        test.transport.serve(urls[1], Sample.png())
        _ = load(1, in: slot, ends)
        await eventually { slot.task == nil }
        #expect(ends.words == ["0 cancelled", "1 image"])
    }

    @Test("may be begun by the completion of another")
    func reentrancy() async {
        let slot = ImageSlot(pipeline: test.pipeline)
        let ends = Ends()
        let (test, urls) = (test, urls)
        test.transport.serve(urls[2], Sample.png())
        slot.loadImage(with: ImageRequest(urls[0]), on: .calling) { result in
            ends.add(0)(result)
            slot.loadImage(with: ImageRequest(urls[2]), on: .calling, completion: ends.add(2))
        }
        _ = await test.transport.nextTransfer()
        // The completion of the first begins a third while the second begins.
        _ = load(1, in: slot, ends)
        await eventually { slot.task == nil }
        #expect(ends.words == ["0 superseded", "1 superseded", "2 image"])
        await test.settle()
    }

    @Test("can be awaited, and a superseded one throws")
    func awaited() async throws {
        let slot = ImageSlot(pipeline: test.pipeline)
        let first = Task { [urls] in try await slot.response(for: ImageRequest(urls[0])) }
        _ = await test.transport.nextTransfer()
        test.transport.serve(urls[1], Sample.png())
        let second = try await slot.response(for: ImageRequest(urls[1]))
        #expect(second.source == .network)
        await #expect(throws: ImageSlot.SupersededError.self) { try await first.value }
    }

    @Test("are cancelled with the Swift task that awaits one")
    func awaitedAndCancelled() async {
        let slot = ImageSlot(pipeline: test.pipeline)
        let waiting = Task { [urls] in try await slot.response(for: ImageRequest(urls[0])) }
        let transfer = await test.transport.nextTransfer()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await transfer.waitUntilCancelled()
    }

    @Test("each end once, and one of them with an image, whichever threads begin them")
    func threads() async {
        for url in urls { test.transport.serve(url, Sample.png(2, 2)) }
        for _ in 0..<50 {
            let slot = ImageSlot(pipeline: test.pipeline)
            let ends = Ends()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<12 {
                    group.addTask { [urls] in
                        let request = ImageRequest(urls[index % 3], options: [.noCache])
                        slot.loadImage(with: request, on: .calling, completion: ends.add(index))
                    }
                }
            }
            await eventually { ends.words.count == 12 && slot.task == nil }
            #expect(Set(ends.words.compactMap { $0.split(separator: " ").first }).count == 12)
            #expect(ends.words.contains { $0.hasSuffix("image") })
        }
        await test.settle()
    }
}
