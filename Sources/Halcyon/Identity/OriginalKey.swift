internal import HalcyonHTTP
internal import HalcyonSystem

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
        ExactString.hasSameBytes(left.text, right.text) && ExactString.hasSameBytes(left.scope ?? "", right.scope ?? "")
            && (left.scope == nil) == (right.scope == nil)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(scope)
    }
}
