internal import HalcyonHTTP

/// The value of an `Accept` field (RFC 9110, section 12.5.1): media ranges with their weights.
///
/// Malformed ranges are ignored. Two forms that clients send against the grammar are read: "*" for "*/*", and a weight
/// without its first digit.
struct AcceptField {
    /// A media range without parameters other than its weight.
    private struct Range {
        let type: Substring
        let subtype: Substring
        /// The weight in thousandths.
        let weight: Int
    }

    private let ranges: [Range]
    /// A Boolean value that indicates whether there is no range at all, so that everything is accepted.
    private let acceptsAll: Bool

    init(_ text: String?) {
        let text = (text ?? "").lowercased()
        acceptsAll = text.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        ranges = FieldList.parts(of: text[...], separator: UInt8(ascii: ",")).compactMap(Self.range)
    }

    /// Returns the weight of a media type in thousandths; 0: it is not accepted. The most specific range counts.
    ///
    /// - Parameter matchesWildcards: Whether ranges with an asterisk accept it.
    func weight(of mediaType: String, matchesWildcards: Bool) -> Int {
        if acceptsAll { return matchesWildcards ? 1_000 : 0 }
        let parts = mediaType.split(separator: "/", maxSplits: 1)
        guard let type = parts.first, let subtype = parts.last, parts.count == 2 else { return 0 }
        if let exact = weight(where: { $0.type == type && $0.subtype == subtype }) { return exact }
        guard matchesWildcards else { return 0 }
        return weight { $0.type == type && $0.subtype == "*" } ?? weight { $0.type == "*" } ?? 0
    }

    private func weight(where isMatch: (Range) -> Bool) -> Int? {
        ranges.filter(isMatch).map(\.weight).max()
    }

    private static func range(_ text: Substring) -> Range? {
        let parts = FieldList.parts(of: text, separator: UInt8(ascii: ";"))
        guard let name = parts.first else { return nil }
        let types = name == "*" ? ["*", "*"] : name.split(separator: "/", omittingEmptySubsequences: false)
        guard types.count == 2, types.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) }),
            types[0] != "*" || types[1] == "*"
        else { return nil }
        for parameter in parts.dropFirst() {
            // None of the types on offer has parameters, so a range with one matches none of them.
            guard parameter.hasPrefix("q=") else { return nil }
            guard let weight = weight(parameter.dropFirst(2)) else { return nil }
            // What comes after the weight is no part of the range (RFC 7231, section 5.3.2).
            return Range(type: types[0], subtype: types[1], weight: weight)
        }
        return Range(type: types[0], subtype: types[1], weight: 1_000)
    }

    /// Returns a weight of up to three decimals in thousandths; `nil` for other text.
    private static func weight(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" || (whole.isEmpty && parts.count == 2) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1].utf8.map { Int($0) - 0x30 } : []
        guard decimals.count <= 3, decimals.allSatisfy((0...9).contains), !whole.isEmpty || !decimals.isEmpty else {
            return nil
        }
        let fraction = zip(decimals, [100, 10, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        let weight = (whole == "1" ? 1_000 : 0) + fraction
        return weight <= 1_000 ? weight : nil
    }
}
