/// A difference that cannot be mended here. Never a crash, a hang or too much memory: those always count.
struct KnownDifference: Sendable {
    /// What a file is, and how it fails.
    struct Failure {
        let row: ImageManifestRow
        /// The words of the verdict.
        let reason: String
        /// The bytes of the file, read when they are asked for.
        let bytes: () -> [UInt8]

        /// The file as text.
        var text: String { String(decoding: bytes(), as: UTF8.self) }

        /// Whether the file has these characters somewhere in it.
        func contains(_ text: String) -> Bool {
            bytes().contains(Array(text.utf8))
        }
    }

    /// Who it is due to.
    enum Cause: Sendable {
        /// The libraries of the oldest supported system, which have no way to do better, or a choice of ours. Few may be.
        case limit
        /// The list, whose figures are of one decoder with a reading of its own. Told apart.
        case list
    }

    /// Default: ``Cause/limit``.
    var cause = Cause.limit
    /// What the files have in common; shown beside each of them.
    let reason: String
    /// Whether a failure is one of them.
    let applies: @Sendable (Failure) -> Bool

    /// The greatest share of the rows that may be excused by a limit.
    static let greatestShare = 0.02

    /// What excuses a failure, or `nil`.
    static func excusing(_ failure: Failure) -> KnownDifference? {
        all.first { $0.applies(failure) }
    }
}
