import HalcyonSystem
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
                    try await budget.withAmount(amount, priority: PriorityBox(.normal)) {
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
        let available = try await budget.withAmount(1_000, priority: PriorityBox(.normal)) { budget.available }
        #expect(available == 0)
        #expect(budget.available == 10)
    }

    @Test("gives back what was lent when the work fails or is cancelled while it waits")
    func failure() async throws {
        struct Failure: Error {}
        let budget = Budget(limit: 4)
        await #expect(throws: Failure.self) {
            try await budget.withAmount(3, priority: PriorityBox(.normal)) { throw Failure() }
        }
        #expect(budget.available == 4)
        try await budget.withAmount(4, priority: PriorityBox(.normal)) {
            let waiting = Task { try await budget.withAmount(1, priority: PriorityBox(.normal)) {} }
            await Task.yield()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        #expect(budget.available == 4)
    }

    @Test("serves a waiter first whose priority is raised while it waits")
    func raisedPriority() async throws {
        let budget = Budget(limit: 1)
        let order = Lock<[Int]>([])
        let priorities = [PriorityBox(.normal), PriorityBox(.low)]
        let waiting = try await budget.withAmount(1, priority: PriorityBox(.normal)) {
            var waiting: [Task<Void, any Error>] = []
            for (index, priority) in priorities.enumerated() {
                waiting.append(
                    Task {
                        try await budget.withAmount(1, priority: priority) { order.withLock { $0.append(index) } }
                    }
                )
                while budget.waitingCount <= index { await Task.yield() }
            }
            priorities[1].update(.high)
            return waiting
        }
        for task in waiting { try await task.value }
        #expect(order.withLock { $0 } == [1, 0])
    }

    @Test("serves who waits behind a demand that is cancelled")
    func cancelledDemand() async throws {
        let budget = Budget(limit: 2)
        try await budget.withAmount(1, priority: PriorityBox(.normal)) {
            let large = Task { try await budget.withAmount(2, priority: PriorityBox(.normal)) {} }
            while budget.waitingCount < 1 { await Task.yield() }
            let small = Task { try await budget.withAmount(1, priority: PriorityBox(.normal)) {} }
            while budget.waitingCount < 2 { await Task.yield() }
            large.cancel()
            await #expect(throws: CancellationError.self) { try await large.value }
            try await small.value
        }
        #expect(budget.available == 2)
    }

    @Test("lends at once only what is there and nobody waits for")
    func atHand() async throws {
        let budget = Budget(limit: 2)
        #expect(budget.leaseAtHand(3)?.amount == 2)
        #expect(budget.available == 2)
        try await budget.withAmount(1, priority: PriorityBox(.normal)) {
            #expect(budget.leaseAtHand(2) == nil)
            #expect(budget.leaseAtHand(1) != nil)
            let waiting = Task { try await budget.withAmount(2, priority: PriorityBox(.normal)) {} }
            while budget.waitingCount < 1 { await Task.yield() }
            #expect(budget.leaseAtHand(1) == nil)
            waiting.cancel()
            _ = await waiting.result
        }
    }

    @Test("gets back what was lent when nothing holds the lease any more, and before what it does without")
    func leases() async throws {
        let budget = Budget(limit: 10)
        var lease: BudgetLease? = try await budget.lease(8, priority: PriorityBox(.normal))
        let waiting = Task { try await budget.lease(6, priority: PriorityBox(.normal)).amount }
        while budget.waitingCount < 1 { await Task.yield() }
        lease?.reduce(to: 9)
        #expect(budget.available == 2)
        lease?.reduce(to: 4)
        #expect(try await waiting.value == 6)
        #expect(budget.available == 6)
        lease = nil
        #expect(budget.available == 10)
    }
}

extension Budget {
    /// Runs `body` while an amount is lent to it.
    fileprivate func withAmount<Result: Sendable>(
        _ amount: Int,
        priority: PriorityBox,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let lease = try await lease(amount, priority: priority)
        defer { withExtendedLifetime(lease) {} }
        return try await body()
    }
}
