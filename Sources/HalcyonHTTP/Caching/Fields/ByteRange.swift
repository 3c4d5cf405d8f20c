/// The part of a body that a request asks for: a `Range` of a single range of bytes (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
    case bytes(Range<Int>)
    /// The range begins after the end of the body.
    case unsatisfiable

    /// Reads the part of a body of `count` bytes; `nil` for several ranges, other units and invalid text, all of which
    /// a server may ignore (section 14.2).
    init?(_ text: String, of count: Int) {
        guard text.utf8.count <= 64, text.lowercased().hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).trimmingFieldSpace.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch (Self.position(parts[0]), Self.position(parts[1])) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            self = first < count ? .bytes(first..<(min(last, count - 1) + 1)) : .unsatisfiable
        case (let first?, nil) where parts[1].isEmpty:
            self = first < count ? .bytes(first..<count) : .unsatisfiable
        case (nil, let length?) where parts[0].isEmpty:
            self = length > 0 && count > 0 ? .bytes((count - min(length, count))..<count) : .unsatisfiable
        default:
            return nil
        }
    }

    private static func position(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }
}
