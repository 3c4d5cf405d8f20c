internal import HalcyonConcurrency

/// The memory that decoded pixels may take while images are decoded, processed and encoded.
///
/// Decoding waits until its image fits, together with the images that wait to be processed. Processing takes what it needs
/// beyond its image from another budget, one for each place in the chains of processors: work that holds a part of a budget
/// must not wait for more of it, and an image that waits to be processed holds a part of an earlier one.
final class PixelBudget: Sendable {
    /// The bytes of pixels that are being decoded or encoded, or wait to be processed.
    let images: Budget
    /// The bytes that the results of processors take, by the place of the processor in its chain.
    private let results = Lock<[Budget]>([])

    /// Creates a budget of each kind of this many bytes, at least 1.
    init(limit: Int) {
        images = Budget(limit: max(1, limit))
    }

    /// Returns the budget for the results of the processors at a place in their chains.
    func results(at place: Int) -> Budget {
        results.withLock { results in
            while results.count <= place { results.append(Budget(limit: images.limit)) }
            return results[place]
        }
    }

    /// The number of pieces of work that wait for a part.
    var waitingCount: Int {
        images.waitingCount + results.withLock { $0 }.reduce(0) { $0 + $1.waitingCount }
    }
}
