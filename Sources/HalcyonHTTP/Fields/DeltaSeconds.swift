/// A number of seconds in a field (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// The number that stands for every larger one.
    static let maximum = 2_147_483_648

    /// Returns the number; `nil` unless `text` consists of digits alone.
    static func value(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard byte.isASCIIDigit else { return nil }
            value = min(value * 10 + Int(byte - 0x30), maximum)
        }
        return value
    }
}
