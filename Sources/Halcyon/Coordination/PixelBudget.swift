internal import HalcyonSystem
internal import Synchronization

/// The memory that decoded pixels may take while images are decoded, processed and encoded.
///
/// Decoding waits until its image fits, together with the images that wait to be processed. Processing takes what it needs
/// beyond its image from another budget, one for each place in the chains of processors, and the frames of an animation
/// are decoded within a further one: work that holds a part of a budget waits only for parts of later ones, and an image
/// that waits to be processed, or for its frames, holds a part of an earlier one.
final class PixelBudget: Sendable {
    /// The bytes of pixels that are being decoded or encoded, or wait to be processed.
    let images: Budget
    /// The bytes that the results of processors take, by the place of the processor in its chain.
    private let results = Lock<[Budget]>([])
    /// The bytes of the frames of animations that are decoded before they are shown. The last in the order.
    let frames: Budget
    /// The bytes that decoders hold which read images while these arrive. Nothing waits for it: they then make no previews.
    let previews: Budget

    /// Creates a budget of each kind of this many bytes, at least 1.
    init(limit: Int) {
        let limit = max(1, limit)
        images = Budget(limit: limit, order: 0)
        frames = Budget(limit: limit, order: .max)
        previews = Budget(limit: limit)
    }

    /// Returns the budget for the results of the processors at a place in their chains.
    func results(at place: Int) -> Budget {
        results.withLock { results in
            while results.count <= place { results.append(Budget(limit: images.limit, order: results.count + 1)) }
            return results[place]
        }
    }

    /// The number of pieces of work that wait for a part.
    var waitingCount: Int {
        images.waitingCount + results.withLock { $0 }.reduce(0) { $0 + $1.waitingCount } + frames.waitingCount
    }
}

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
}
