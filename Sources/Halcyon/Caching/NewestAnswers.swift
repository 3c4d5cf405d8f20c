internal import HalcyonStore
internal import HalcyonSystem

/// The originals that servers have sent last: one that came with the program is not used any more once its server has sent
/// another, whether or not that is still in the cache.
///
/// ``ContentOrder`` has them only for as long as loads use them, and what came with the program is there for good. Only a
/// cache with a tier that is only read has this: 24 bytes for each image that such a tier has.
final class NewestAnswers: Sendable {
    private struct State {
        /// By the hashes of names: of two with the same hash, one is loaded that need not be.
        var answers: [Int: (transfer: UInt64, digest: ContentDigest)] = [:]
        var isFull = false
    }

    /// The most names. Beyond, nothing counts as the newest of a name that is not among these.
    static let limit = 65_536

    /// The tiers that are only read.
    private let bundles: [any CacheTier]
    private let state = Lock(State())

    init(of bundles: [any CacheTier]) {
        self.bundles = bundles
    }

    /// Notes the answer that a claim is about, if it is the newest of its name.
    func note(_ claim: ContentClaim, named name: String) {
        guard let transfer = claim.transfer, let digest = claim.digest, bundles.contains(where: { $0.mayHave(name) })
        else { return }
        let hash = ExactString(name).hashValue
        state.withLock { state in
            if let known = state.answers[hash] {
                guard transfer >= known.transfer else { return }
            } else if state.answers.count >= Self.limit {
                state.isFull = true
                return
            }
            state.answers[hash] = (transfer, digest)
        }
    }

    /// Returns whether the server of a name is not known to have sent another original than the one with a digest.
    func isNewest(_ digest: ContentDigest?, named name: String) -> Bool {
        let hash = ExactString(name).hashValue
        return state.withLock { state in state.answers[hash].map { $0.digest == digest } ?? !state.isFull }
    }
}
