/// The urgency of a piece of work, compared with the other work that waits.
///
/// A piece of work that several callers share has the highest priority among them. The priority of queued and of
/// running work can be changed.
public enum LoadPriority: Int, Sendable, Hashable, Comparable, CaseIterable, Codable {
    case veryLow
    case low
    case normal
    case high
    case veryHigh

    /// Orders priorities by urgency.
    public static func < (left: LoadPriority, right: LoadPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
