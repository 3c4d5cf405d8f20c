internal import HalcyonConcurrency
internal import Synchronization

/// The part of the budget that an image's pixels take until they are processed or handed out.
///
/// It passes to the first image that is made of that image. Others that are made of it, as by chains of processors with
/// a common beginning, need parts of their own.
final class PixelLease: Sendable {
    private let lease: BudgetLease
    private let hasSuccessor = Atomic(false)

    init(_ lease: BudgetLease) {
        self.lease = lease
    }

    /// The size of the part, in bytes.
    var amount: Int { lease.amount }

    /// Returns the lease of an image that is made of this one; `nil` if there is one already.
    func successor() -> PixelLease? {
        hasSuccessor.exchange(true, ordering: .acquiringAndReleasing) ? nil : PixelLease(lease)
    }
}
