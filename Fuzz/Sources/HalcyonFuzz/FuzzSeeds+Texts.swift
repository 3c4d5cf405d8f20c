import FoundationEssentials

extension FuzzSeeds {
    /// Returns inputs of a reader of short text.
    static func textSeeds(_ target: TextTarget) -> [Data] {
        switch target {
        case .placeholder:
            ["LEHV6nWB2yk8pyo0adR*.7kCMdnj", "00OZZy", "1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j3A"]
                .map { Data($0.utf8) }
        case .accept:
            ["image/avif,image/webp;q=0.8,*/*;q=.5", "*, text/html; level=1; q=1.000, image/*;q=0", "", ",;,q=1"].map {
                Data($0.utf8)
            }
        case .pngText:
            // Payloads: text, text compressed by zlib without compression, and international text of both kinds.
            [
                Data("Thumb::URI\0file:///a.png".utf8),
                Data("Title\0\0".utf8) + stored,
                Data("Title\0\0\0en\0Titel\0Hallo".utf8),
                Data("Title\0\u{1}\0en\0Titel\0".utf8) + stored,
            ]
        }
    }

    /// "abc" in zlib's format (RFC 1950), in a block that is not compressed.
    private static let stored = Data([
        0x78, 0x01, 0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63, 0x02, 0x4D, 0x01, 0x27,
    ])
}
