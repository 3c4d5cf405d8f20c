/// The result of the check of a file.
struct ImageVerdict: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case pass = "PASS"
        case fail = "FAIL"
        case skip = "SKIP"
    }

    var kind: Kind
    /// The reason, where there is one to give.
    var reason: String

    static let pass = ImageVerdict(kind: .pass, reason: "")

    static func pass(_ reason: String) -> ImageVerdict { ImageVerdict(kind: .pass, reason: reason) }
    static func fail(_ reason: String) -> ImageVerdict { ImageVerdict(kind: .fail, reason: reason) }
    static func skip(_ reason: String) -> ImageVerdict { ImageVerdict(kind: .skip, reason: reason) }
}

/// As a line between processes: the kind, a tab, the reason.
extension ImageVerdict: LosslessStringConvertible {
    var description: String {
        let reason = String(reason.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        return "\(kind.rawValue)\t\(reason)"
    }

    init?(_ description: String) {
        let parts = description.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
        self.init(kind: kind, reason: String(parts[1]))
    }
}
