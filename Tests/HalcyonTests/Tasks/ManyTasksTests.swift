import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Thousands of tasks")
struct ManyTasksTests {
    private let test = TestPipeline()

    @Test("started and cancelled leave nothing, at once or after all were started", arguments: [false, true])
    func cancelled(atOnce: Bool) async {
        let retained = LiveObjects()
        await start(5_000, cancellingAtOnce: atOnce, retained)
        await test.settle()
        await eventually { [test] in test.pipeline.unfinishedWorkCount == 0 }
        await eventually { [test] in test.pipeline.configuration.downloader.calls.count == 0 }
        await eventually { retained.count == 0 }
    }

    private func start(_ count: Int, cancellingAtOnce atOnce: Bool, _ retained: LiveObjects) async {
        let tasks = (0..<count).map { index in
            let provider = CountedProvider(cacheKey: "\(index)", object: retained.make(), data: nil)
            // Of each two, one waits for a server.
            let source = index.isMultiple(of: 2) ? Source.provider(provider) : .url(Sample.url())
            let task = test.pipeline.task(for: ImageRequest(source))
            if atOnce { task.cancel() }
            return task
        }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.response }
        }
    }
}
