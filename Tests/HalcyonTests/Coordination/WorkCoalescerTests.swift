import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Shared work")
struct WorkCoalescerTests {
    private let work = WorkCoalescer<Int, Int>()
    private let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })

    @Test("gives one answer to a waiter that leaves as it ends, and lets the next begin anew")
    func endAndLeave() async throws {
        for round in 0..<500 {
            let gate = Gate()
            let leaving = Task { [work, context] in
                try await work.value(for: 0, context: context) { _ in
                    await gate.wait()
                    return round
                }
            }
            await eventually { work.waiterCount == 1 }
            async let opened: Void = gate.open()
            leaving.cancel()
            await opened
            switch await leaving.result {
            case .success(let value): #expect(value == round)
            case .failure(let error): #expect(error is CancellationError)
            }
            #expect(try await work.value(for: 0, context: context) { _ in -1 } == -1)
            #expect(work.count == 0)
        }
    }

    @Test("without waiters is cancelled, and its late result is discarded")
    func lateResult() async throws {
        let (started, end) = (Gate(), Gate())
        let leaving = Task { [work, context] in
            try await work.value(for: 0, context: context) { _ in
                started.open()
                await end.wait()
                return Task.isCancelled ? 1 : 2
            }
        }
        await started.wait()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        async let next = work.value(for: 0, context: context) { _ in
            await end.wait()
            return 3
        }
        await eventually { work.waiterCount == 1 }
        end.open()
        #expect(try await next == 3)
    }
}
