import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Priorities of shared work")
struct SharedPriorityTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    /// Chains over one decoded image, whose processors share no pass over the pixels.
    private func chain(_ index: Int) -> ImageOption {
        var processing = ImageProcessorChain.identity
        for depth in 0..<4 { processing = processing |> .closure(name: "\(depth)") { image, _ in image } }
        return .processor(processing |> .crop(to: .pixels(20 + index, 20)))
    }

    @Test("change from several threads while chains of processors share the image they begin with")
    func sharedImage() async throws {
        for round in 0..<20 {
            let url = Sample.url()
            // The rounds differ in what changes come when; each goes through all joins and changes anew.
            let tasks = (0..<8).map { test.pipeline.task(for: url, options: [chain($0)]) }
            let transfer = await test.transport.nextTransfer()
            await withTaskGroup(of: Void.self) { group in
                for seed in 0..<4 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(round * 4 + seed))
                        for _ in 0..<500 {
                            let task = tasks[Int.random(in: 0..<8, using: &generator)]
                            task.priority = LoadPriority.allCases.randomElement(using: &generator) ?? .normal
                        }
                    }
                }
            }
            await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 8 }
            for task in tasks { task.priority = .low }
            tasks[0].priority = .high
            #expect(transfer.priority == .high)
            tasks[0].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[0].response }
            transfer.answer(.init(body: Sample.png()))
            for task in tasks.dropFirst() { _ = try await task.response }
        }
        #expect(test.transport.startedCount == 20)
    }

    @Test("follow the last change, whichever of two threads comes first")
    func lastChange() async throws {
        let first = test.pipeline.task(for: url, options: [chain(0)])
        let second = test.pipeline.task(for: url, options: [chain(1)])
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        for round in 0..<2_000 {
            let (one, two): (LoadPriority, LoadPriority) = round % 2 == 0 ? (.low, .veryLow) : (.veryHigh, .high)
            async let change: Void = Task.detached { first.priority = one }.value
            second.priority = two
            await change
            #expect(transfer.priority == max(one, two))
        }
        transfer.answer(.init(body: Sample.png()))
        _ = try await (first.response, second.response)
    }

    @Test("reach a load that waits for the budget of decoded pixels")
    func decodeBudget() async throws {
        let (order, gate) = (Lock<[Int]>([]), DispatchGate())
        let bodies = (0..<3).map { Sample.png(seed: $0 + 1) }
        let codecs = ImageCodecs.observed { call, data in
            guard call == .decode, let index = bodies.firstIndex(where: { $0 == data }) else { return }
            order.withLock { $0.append(index) }
            if index == 0 { gate.wait() }
        }
        let test = TestPipeline(codecs: codecs, decodeBudget: 1)
        let urls = bodies.map { _ in Sample.url() }
        for (url, body) in zip(urls, bodies) { test.transport.serve(url, body) }
        let first = test.pipeline.task(for: urls[0])
        await eventually { order.withLock { $0 } == [0] }
        let second = test.pipeline.task(for: urls[1])
        await eventually { [test] in test.pipeline.stages.workers.budgetWaiterCount == 1 }
        let third = test.pipeline.task(for: urls[2])
        await eventually { [test] in test.pipeline.stages.workers.budgetWaiterCount == 2 }
        third.priority = .high
        gate.open()
        _ = try await (first.response, second.response, third.response)
        #expect(order.withLock { $0 } == [0, 2, 1])
    }
}
