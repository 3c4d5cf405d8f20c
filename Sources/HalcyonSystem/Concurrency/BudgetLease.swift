/// A part of a ``Budget`` that is lent for as long as something holds this: it may pass from one piece of work to the
/// next together with the memory that it was taken for.
package final class BudgetLease: Sendable {
    fileprivate let budget: Budget
    private let state: Lock<Int>

    /// - Parameter amount: The amount that has been taken from the budget already.
    init(_ amount: Int, of budget: Budget) {
        self.budget = budget
        state = Lock(amount)
    }

    deinit {
        budget.giveBack(amount)
    }

    /// The amount that is lent.
    package var amount: Int { state.withLock { $0 } }

    /// Gives back the part beyond an amount.
    package func reduce(to amount: Int) {
        let excess = state.withLock { lent -> Int in
            let excess = max(0, lent - max(0, amount))
            lent -= excess
            return excess
        }
        if excess > 0 { budget.giveBack(excess) }
    }
}

extension Budget {
    /// Lends an amount as soon as it is available. A demand beyond ``limit`` counts as ``limit``.
    ///
    /// - Parameter held: What the work holds while it waits: parts of budgets that come before this one.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    package func lease(
        _ amount: Int,
        holding held: [BudgetLease] = [],
        priority: PriorityBox
    ) async throws -> BudgetLease {
        assert(held.allSatisfy { $0.budget.order < order }, "work waits for a budget that comes before one it holds")
        let amount = clamped(amount)
        if !take(amount) { try await wait(for: amount, priority) }
        return BudgetLease(amount, of: self)
    }

    /// Lends an amount that is available at once; `nil` if it is not.
    package func leaseAtHand(_ amount: Int) -> BudgetLease? {
        let amount = clamped(amount)
        return take(amount) ? BudgetLease(amount, of: self) : nil
    }
}
