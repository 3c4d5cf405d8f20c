import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Shared work that must be newer than what goes on")
struct NewerWorkTests {
    private let work = WorkCoalescer<Int, Int>()

    private func context(_ priority: PriorityBox = PriorityBox(.normal)) -> WorkContext {
        WorkContext(priority: priority, report: { _ in })
    }

    /// Waits for a value that a gate lets out.
    private func begin(_ value: Int, since: UInt64, _ priority: PriorityBox, _ gate: Gate) async -> Task<Int, any Error>
    {
        let count = work.waiterCount
        let context = context(priority)
        let task = Task { [work] in
            try await work.value(for: 0, joining: JoinRule(since: since), context: context) { _ in
                await gate.wait()
                return value
            }
        }
        await eventually { work.waiterCount == count + 1 }
        return task
    }

    @Test("gives each waiter the result that is new enough for it")
    func results() async throws {
        let (early, late) = (Gate(), Gate())
        let first = await begin(1, since: 1, PriorityBox(.normal), early)
        let second = await begin(2, since: 2, PriorityBox(.normal), late)
        // New enough for one that asks for less.
        let third = await begin(3, since: 1, PriorityBox(.normal), late)
        #expect(work.count == 2)
        late.open()
        #expect(try await second.value == 2)
        #expect(try await third.value == 2)
        early.open()
        #expect(try await first.value == 1)
        #expect(work.count == 0)
    }

    @Test("lets waiters of older work leave, which is then cancelled")
    func leaving() async throws {
        let (begun, cancelled, late) = (Gate(), Gate(), Gate())
        let context = context()
        let first = Task { [work] in
            try await work.value(for: 0, joining: JoinRule(since: 1), context: context) { _ in
                begun.open()
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.open()
                }
                return 1
            }
        }
        // A load that leaves before its work begins begins none.
        await begun.wait()
        let second = await begin(2, since: 2, PriorityBox(.normal), late)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await cancelled.wait()
        #expect(work.count == 1)
        late.open()
        #expect(try await second.value == 2)
    }

    @Test("passes priorities on to older work")
    func priority() async throws {
        let (gate, late) = (Gate(), Gate())
        let (wish, inner) = (PriorityBox(.low), Lock<PriorityBox?>(nil))
        let context = context(wish)
        let first = Task { [work] in
            try await work.value(for: 0, joining: JoinRule(since: 1), context: context) { context in
                inner.withLock { $0 = context.priority }
                await gate.wait()
                return 1
            }
        }
        await eventually { inner.withLock { $0 } != nil }
        let second = await begin(2, since: 2, PriorityBox(.normal), late)
        wish.update(.high)
        #expect(inner.withLock { $0 }?.value == .high)
        gate.open()
        late.open()
        _ = try await (first.value, second.value)
    }
}
