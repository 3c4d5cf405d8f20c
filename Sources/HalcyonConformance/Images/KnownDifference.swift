/// A difference that cannot be mended here, because the libraries of the oldest supported system have no way to do better, or
/// because the list itself is in the wrong. Never a crash, a hang or too much memory: those always count.
struct KnownDifference: Sendable {
    /// What the files have in common; shown beside each of them.
    let reason: String
    /// Whether a row that fails for `failure` is one of them.
    let applies: @Sendable (_ row: ImageManifestRow, _ failure: String) -> Bool

    /// The greatest share of the rows that may be excused.
    static let greatestShare = 0.02

    /// Why a failure is excused, or `nil`.
    static func reason(for row: ImageManifestRow, failure: String) -> String? {
        all.first { $0.applies(row, failure) }?.reason
    }
}
