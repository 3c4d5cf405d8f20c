internal import Glibc
internal import HalcyonHTTP

/// The name of an original in caches and in shared work, and its scope.
///
/// Two names are equal if their bytes are: text that only looks the same, such as a letter with its accent written in
/// one or in two code points, names different images, as it does for a server.
struct OriginalKey: Sendable, Hashable {
    let text: String
    /// The scope of an original that only some requests may be answered with; `nil` for a public one.
    let scope: String?

    init(text: String, scope: String? = nil) {
        self.text = text
        self.scope = scope
    }

    static func == (left: OriginalKey, right: OriginalKey) -> Bool {
        hasSameBytes(left.text, right.text) && hasSameBytes(left.scope ?? "", right.scope ?? "")
            && (left.scope == nil) == (right.scope == nil)
    }

    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        // A generic comparison of the two views takes 200 ns for a URL; this takes 10.
        return left.withUTF8 { left in
            right.withUTF8 { UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer($0)) }
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(scope)
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
