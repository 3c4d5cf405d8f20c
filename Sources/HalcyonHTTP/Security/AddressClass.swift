/// The purpose of an address, by IANA's registries of special-purpose addresses (RFC 6890 and its updates).
package enum AddressClass: String, Sendable, Hashable, CaseIterable {
    case `public`
    case unspecified = "unspecified"
    case loopback = "loopback"
    case privateNetwork = "private"
    case linkLocal = "link-local"
    case cloudMetadata = "cloud metadata"
    case carrierNetwork = "carrier-internal"
    case multicast = "multicast"
    case broadcast = "broadcast"
    case documentation = "documentation"
    case benchmarking = "benchmarking"
    case reserved = "reserved"

    /// Classifies an address. Addresses of version 6 that stand for one of version 4 are of its class.
    package init(_ address: IPAddress) {
        switch address {
        case .v4(let number): self.init(number)
        case .v6(let high, let low): self.init(high, low)
        }
    }

    private init(_ number: UInt32) {
        func begins(_ prefix: UInt32, _ length: UInt32) -> Bool { (number ^ prefix) >> (32 - length) == 0 }
        self =
            switch number {
            // At these, Amazon, Google, Azure and others answer with a machine's secrets; the second is Azure's alone.
            case 0xA9FE_A9FE, 0xA83F_8110: .cloudMetadata
            case 0xFFFF_FFFF: .broadcast
            case _ where begins(0x0000_0000, 8): .unspecified
            case _ where begins(0x7F00_0000, 8): .loopback
            case _ where begins(0x0A00_0000, 8), _ where begins(0xAC10_0000, 12), _ where begins(0xC0A8_0000, 16):
                .privateNetwork
            case _ where begins(0xA9FE_0000, 16): .linkLocal
            case _ where begins(0x6440_0000, 10): .carrierNetwork
            case _ where begins(0xC000_0200, 24), _ where begins(0xC633_6400, 24), _ where begins(0xCB00_7100, 24):
                .documentation
            case _ where begins(0xC612_0000, 15): .benchmarking
            // Protocol assignments, and the relays of 6to4, which are no more (RFC 7526).
            case _ where begins(0xC000_0000, 24), _ where begins(0xC058_6300, 24): .reserved
            case _ where begins(0xE000_0000, 4): .multicast
            case _ where begins(0xF000_0000, 4): .reserved
            default: .public
            }
    }

    private init(_ high: UInt64, _ low: UInt64) {
        func begins(_ prefix: UInt64, _ length: UInt64) -> Bool { (high ^ prefix) >> (64 - length) == 0 }
        let last = UInt32(truncatingIfNeeded: low)
        switch (high, low) {
        case (0, 0): self = .unspecified
        case (0, 1): self = .loopback
        case (0, _) where low >> 32 == 0xFFFF:
            // Mapped (RFC 4291, section 2.5.5.2).
            self.init(last)
        case (0, _) where low >> 32 == 0, (0, _) where low >> 32 == 0xFFFF_0000:
            // Compatible and translated (RFC 4291, 2765), both deprecated: not public, whatever they stand for.
            let embedded = AddressClass(last)
            self = embedded == .public ? .reserved : embedded
        case (0x0064_FF9B_0000_0000, _) where low >> 32 == 0:
            // NAT64 (RFC 6052).
            self.init(last)
        case _ where begins(0x0064_FF9B_0001_0000, 48): self = .privateNetwork
        case _ where begins(0x2002_0000_0000_0000, 16):
            // 6to4 (RFC 3056).
            self.init(UInt32(truncatingIfNeeded: high >> 16))
        case _ where begins(0x2001_0DB8_0000_0000, 32), _ where begins(0x3FFF_0000_0000_0000, 20):
            self = .documentation
        case _ where begins(0x2001_0002_0000_0000, 48): self = .benchmarking
        // Protocol assignments, Teredo among them.
        case _ where begins(0x2001_0000_0000_0000, 23): self = .reserved
        // Unique local, and the site-local ones before them (RFC 4193, 3879).
        case _ where begins(0xFC00_0000_0000_0000, 7), _ where begins(0xFEC0_0000_0000_0000, 10):
            self = .privateNetwork
        case _ where begins(0xFE80_0000_0000_0000, 10): self = .linkLocal
        case _ where begins(0xFF00_0000_0000_0000, 8): self = .multicast
        // No other address is assigned (RFC 4291, section 2.4).
        default: self = begins(0x2000_0000_0000_0000, 3) ? .public : .reserved
        }
    }
}
