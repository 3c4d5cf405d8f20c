internal import HalcyonSystem
internal import Synchronization

/// The part of the budget that an image's pixels take until they are processed or handed out.
///
/// It passes to the first image that is made of it. Other images that are made of the same one, as by chains of
/// processors with a common beginning, need parts of their own.
final class PixelLease: Sendable {
    let leases: [BudgetLease]
    private let hasSuccessor = Atomic(false)

    init(_ leases: [BudgetLease]) {
        self.leases = leases
    }

    /// The number of bytes of the part.
    var amount: Int { leases.reduce(0) { $0 + $1.amount } }

    /// Returns the lease for an image that is made of this one; `nil` if it was returned before.
    func successor() -> PixelLease? {
        hasSuccessor.exchange(true, ordering: .acquiringAndReleasing) ? nil : PixelLease(leases)
    }

    /// Returns a lease of this part and another one, for an image that is larger than the one it was made of.
    func extended(by lease: BudgetLease) -> PixelLease {
        PixelLease(leases + [lease])
    }
}
