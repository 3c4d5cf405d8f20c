import Dispatch
import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The random numbers of retries")
struct RetryRandomnessTests {
    /// Runs tasks on a thread of its own, so that a blocked one is not one of those that all tests share.
    private final class Thread: TaskExecutor {
        let queue = DispatchQueue(label: "halcyon.tests.retry")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Blocks in its first number until its gate is open.
    private struct SlowGenerator: RandomNumberGenerator, Sendable {
        let isAsked: Gate
        let gate: DispatchGate

        mutating func next() -> UInt64 {
            isAsked.open()
            gate.wait()
            return 0
        }
    }

    @Test("come from the generator with no lock held: a slow one blocks no other thread", .timeLimit(.minutes(5)))
    func slowGenerator() async throws {
        let generator = SlowGenerator(isAsked: Gate(), gate: DispatchGate())
        let test = TestPipeline(recovery: RecoveryConfiguration(network: ManualNetwork(), generator: generator))
        let options: [ImageOption] = [.retry(.fixed(maxAttempts: 1))]
        let (resolver, recovery) = (test.pipeline.stages.resolver, test.pipeline.stages.recovery)
        let request = try #require(resolver.begin(ImageRequest(Sample.url(), options: options)).resolved)
        let error = ImageError(stage: .load, reason: .status(503), source: "")
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let (first, second) = (Thread(), Thread())
        let early = Task(executorPreference: first) {
            try await recovery.retrying(request, context) { throw error }
        }
        await generator.isAsked.wait()
        let isFree = Gate()
        let late = Task(executorPreference: second) {
            try await recovery.retrying(request, context) {
                // Runs once this thread has nothing to do, which it has not while it waits for a lock.
                second.queue.async { isFree.open() }
                throw error
            }
        }
        await isFree.wait()
        generator.gate.open()
        for task in [early, late] { await #expect(throws: ImageError.self) { try await task.value } }
    }
}
