internal import HTTPTypes

/// A version of a resource, as its server names it (RFC 9110, section 8.8.3).
struct EntityTag: Sendable, Hashable {
    let isWeak: Bool
    let opaque: String

    /// Reads a tag. Tags without quotation marks are accepted as well; some servers send them.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text).trimmingFieldSpace
        guard !rest.isEmpty else { return nil }
        isWeak = rest.hasPrefix("W/\"")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.utf8.count >= 2, rest.utf8.first == UInt8(ascii: "\""), rest.utf8.last == UInt8(ascii: "\"") {
            rest = rest.dropFirst().dropLast()
        }
        opaque = String(rest)
    }

    /// Returns whether the tags match by the weak comparison of section 8.8.3.2.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

extension HTTPFields {
    /// The tag of a response.
    var entityTag: EntityTag? { self[.eTag].flatMap { EntityTag($0) } }
}
