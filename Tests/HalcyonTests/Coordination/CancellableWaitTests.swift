import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A wait that can be cancelled")
struct CancellableWaitTests {
    @Test("ends shared work without the task that waits for it, and all later waits at once")
    func cancel() async throws {
        let work = WorkCoalescer<Int, Int>()
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let (wait, end) = (CancellableWait(), Gate())
        let waiting = Task {
            do {
                _ = try await work.value(for: 0, context: context, wait: wait) { _ in
                    await end.wait()
                    return 1
                }
                return "a value"
            } catch is CancellationError {
                return Task.isCancelled ? "its task is cancelled" : "the wait is cancelled"
            }
        }
        await eventually { work.waiterCount == 1 }
        wait.cancel()
        #expect(try await waiting.value == "the wait is cancelled")
        #expect(work.count == 0)
        end.open()
        await #expect(throws: CancellationError.self) {
            try await work.value(for: 1, context: context, wait: wait) { _ in 1 }
        }
    }

    @Test("calls the function of a wait once, and never after the wait")
    func once() {
        let calls = Lock(0)
        let (early, late) = (CancellableWait(), CancellableWait())
        early.begin { calls.withLock { $0 += 1 } }
        early.cancel()
        early.cancel()
        #expect(calls.withLock { $0 } == 1)
        late.begin { calls.withLock { $0 += 1 } }
        late.end()
        late.cancel()
        #expect(calls.withLock { $0 } == 1)
    }
}
