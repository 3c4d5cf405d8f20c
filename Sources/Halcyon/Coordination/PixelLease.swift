internal import HalcyonConcurrency
internal import Synchronization

/// The part of the budget that an image's pixels take until they are processed or handed out.
///
/// It goes over to the first image that is made of it. What else is made of the same image, as by chains of processors with
/// a common beginning, needs a part of its own.
final class PixelLease: Sendable {
    private let lease: BudgetLease
    private let hasSuccessor = Atomic(false)

    init(_ lease: BudgetLease) {
        self.lease = lease
    }

    /// The part, in bytes.
    var amount: Int { lease.amount }

    /// The lease of an image that is made of this one; `nil` if there is one already.
    func successor() -> PixelLease? {
        hasSuccessor.exchange(true, ordering: .acquiringAndReleasing) ? nil : PixelLease(lease)
    }
}
