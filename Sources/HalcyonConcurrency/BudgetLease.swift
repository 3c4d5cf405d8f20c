/// A part of a ``Budget`` that is lent for as long as something holds this: it may go on from one piece of work to the next
/// along with what it was taken for.
///
/// Who holds one must not wait for more of the same budget: all of it might be lent to others that wait as well.
package final class BudgetLease: Sendable {
    private let budget: Budget
    private let state: Lock<Int>

    /// - Parameter amount: What has been taken from the budget already.
    init(_ amount: Int, of budget: Budget) {
        self.budget = budget
        state = Lock(amount)
    }

    deinit {
        budget.giveBack(amount)
    }

    /// What is lent.
    package var amount: Int { state.withLock { $0 } }

    /// Gives back what goes beyond an amount.
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
    /// Lends an amount as soon as there is so much. A demand beyond ``limit`` is taken as ``limit``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    package func lease(_ amount: Int, priority: PriorityBox) async throws -> BudgetLease {
        let amount = clamped(amount)
        if !take(amount) { try await wait(for: amount, priority) }
        return BudgetLease(amount, of: self)
    }

    /// Lends an amount, unless that would have to be waited for; `nil` if so.
    package func leaseAtHand(_ amount: Int) -> BudgetLease? {
        let amount = clamped(amount)
        return take(amount) ? BudgetLease(amount, of: self) : nil
    }
}
