/// The length that the `Content-Length` fields of one response state together.
///
/// libcurl takes the last of several lengths, and of each the digits it begins with. Intermediaries may take another
/// one, and the rest for the next response (RFC 9112, section 11.1), so only one clear number counts.
enum ContentLength {
    /// There is no such field.
    case missing
    /// One number of bytes, which may have been stated several times (RFC 9110, section 8.6).
    case bytes(Int)
    /// The length cannot be determined: the text of the field, cut to 100 bytes.
    case unclear(String)

    /// Adds the value of one more field.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        guard let length = Self.parse(value) else { return append(unclear: value) }
        switch self {
        case .missing: self = .bytes(length)
        case .bytes(let other) where other != length: self = .unclear("\(other), \(length)")
        case .bytes, .unclear: break
        }
    }

    /// Adds a value, or the continuation of one, that is no length.
    mutating func append(unclear value: UnsafeBufferPointer<UInt8>) {
        if case .unclear = self { return }
        self = .unclear(String(decoding: value.prefix(100), as: UTF8.self))
    }

    private static func parse(_ value: UnsafeBufferPointer<UInt8>) -> Int? {
        // Nearly all are a single number, which needs no strings: fewer than 19 digits fit.
        if (1..<19).contains(value.count), value.allSatisfy(\.isASCIIDigit) {
            return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        var length: Int?
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            var digits = part.drop(while: \.isFieldSpace)
            while digits.last?.isFieldSpace == true { digits.removeLast() }
            // `Int` itself would accept a sign.
            guard digits.allSatisfy(\.isASCIIDigit),
                let number = Int(String(decoding: digits, as: UTF8.self)), length == nil || number == length
            else { return nil }
            length = number
        }
        return length
    }
}
