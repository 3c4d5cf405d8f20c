/// The name of an original in caches and in shared work.
///
/// Two names are equal if their bytes are: text that only looks the same, such as a letter with its accent written in
/// one or in two code points, names different images, as it does for a server.
struct OriginalKey: Sendable, Hashable {
    let text: String

    static func == (left: OriginalKey, right: OriginalKey) -> Bool {
        // Equal bytes are equal text, and comparing text is the fast path; only equal text needs the second look.
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
