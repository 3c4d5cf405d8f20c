/// The addresses that begin with the same bits.
package struct IPNetwork: Sendable, Hashable {
    private let address: IPAddress
    private let prefixLength: Int

    /// Reads "10.0.0.0/8", "fc00::/7", or a single address; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let address = IPAddress(first) else { return nil }
        let width = if case .v4 = address { 32 } else { 128 }
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy(\.isASCIIDigit),
                let given = Int(parts[1]), given <= width
            else { return nil }
            length = given
        }
        self.address = address
        prefixLength = length
    }

    /// Returns whether `other` is one of these. An address of version 4 never belongs to a network of version 6.
    package func contains(_ other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let own), .v4(let other)):
            return (own ^ other) & (UInt32.max << (32 - prefixLength)) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            let highBits = min(prefixLength, 64)
            let lowBits = max(prefixLength - 64, 0)
            return (high ^ otherHigh) & (UInt64.max << (64 - highBits)) == 0
                && (low ^ otherLow) & (UInt64.max << (64 - lowBits)) == 0
        default:
            return false
        }
    }
}
