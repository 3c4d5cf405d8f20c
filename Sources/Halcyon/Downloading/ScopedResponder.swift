/// A responder with the scope that it answers for: one that answers for several users, one after the other, is another
/// responder for each of them.
struct ScopedResponder: Hashable, Sendable {
    let hook: Hook<any AuthenticationResponding>
    /// The scope that the options or the responder name; `nil` for none.
    let audience: ExactString?

    init(hook: Hook<any AuthenticationResponding>, audience: String?) {
        self.hook = hook
        self.audience = audience.map { ExactString($0) }
    }
}
