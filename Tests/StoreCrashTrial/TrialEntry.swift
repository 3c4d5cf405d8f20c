internal import FoundationEssentials

/// What the trial stores under a number, which is also what the test then looks for.
struct TrialEntry {
    let key: String
    let body: Data
    let metadata: Data
    /// What takes the place of the metadata once the entry is stored, before it is confirmed; nil if nothing does.
    let laterMetadata: Data?
    /// Whether it is confirmed by a flush only.
    let isStaged: Bool

    /// Small bodies, which lie in the index, and larger ones, which are files.
    init(_ number: Int) {
        let size: Int
        switch number % 5 {
        case 0: size = 40_000 + number % 1_000
        case 1: size = 17_000 + number % 100
        default: size = 200 + number % 6_000
        }
        var state = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15 | 1
        key = Self.key(number)
        body = Data(
            (0..<size).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        )
        metadata = Data("of \(number)".utf8)
        // Longer and shorter than before.
        let later = number % 2 == 0 ? "\(number)" : "of \(number), as its server said later"
        laterMetadata = number % 3 == 1 ? Data(later.utf8) : nil
        isStaged = number % 5 == 3
    }

    /// Whether this is what the cache may have beside the body.
    ///
    /// - Parameter isConfirmed: whether what comes later has come.
    func allows(_ metadata: Data, isConfirmed: Bool = false) -> Bool {
        metadata == laterMetadata || (metadata == self.metadata && !(isConfirmed && laterMetadata != nil))
    }

    static func key(_ number: Int) -> String { "trial/\(number)" }
}
