internal import HalcyonSystem

/// Hooks that supply credentials, with the scope that it answers for: those that answer for several users, one after the other, are other
/// ones for each of them.
struct ScopedResponder: Hashable, Sendable {
    let hook: Hook<any DownloadHooks>
    /// The scope that the options or the hooks name; `nil` for none.
    let audience: ExactString?

    init(hook: Hook<any DownloadHooks>, audience: String?) {
        self.hook = hook
        self.audience = audience.map { ExactString($0) }
    }
}
