import HalcyonConcurrency
import Testing

@Suite("A budget")
struct BudgetTests {
    @Test("never lends more than it has")
    func limit() async throws {
        let budget = Budget(limit: 10)
        let lent = Lock((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                let amount = index % 7
                group.addTask {
                    try await budget.withAmount(amount, priority: .normal) {
                        lent.withLock { lent in
                            lent.now += amount
                            lent.most = max(lent.most, lent.now)
                        }
                        await Task.yield()
                        lent.withLock { $0.now -= amount }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(lent.withLock { $0.most } <= 10)
        #expect(budget.available == 10)
    }

    @Test("takes a demand beyond its limit as all of it")
    func tooMuch() async throws {
        let budget = Budget(limit: 10)
        let available = try await budget.withAmount(1_000, priority: .normal) { budget.available }
        #expect(available == 0)
        #expect(budget.available == 10)
    }

    @Test("gives back what was lent when the work fails or is cancelled while it waits")
    func failure() async throws {
        struct Failure: Error {}
        let budget = Budget(limit: 4)
        await #expect(throws: Failure.self) {
            try await budget.withAmount(3, priority: .normal) { throw Failure() }
        }
        #expect(budget.available == 4)
        try await budget.withAmount(4, priority: .normal) {
            let waiting = Task { try await budget.withAmount(1, priority: .normal) {} }
            await Task.yield()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        #expect(budget.available == 4)
    }
}
