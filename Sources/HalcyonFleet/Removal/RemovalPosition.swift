/// A place in the log of removals: the time of the engine in milliseconds, and the number within it. It is the identifier of
/// a stream's entry.
struct RemovalPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    var time: UInt64
    var sequence: UInt64

    static let start = RemovalPosition(time: 0, sequence: 0)

    init(time: UInt64, sequence: UInt64) {
        self.time = time
        self.sequence = sequence
    }

    /// Reads `time-sequence`; `nil` for other text.
    init?(_ text: String?) {
        guard let parts = text?.split(separator: "-"), parts.count == 2, let time = UInt64(parts[0]),
            let sequence = UInt64(parts[1])
        else { return nil }
        self.init(time: time, sequence: sequence)
    }

    var description: String { "\(time)-\(sequence)" }

    static func < (left: RemovalPosition, right: RemovalPosition) -> Bool {
        (left.time, left.sequence) < (right.time, right.sequence)
    }
}
