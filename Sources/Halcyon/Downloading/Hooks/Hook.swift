/// A hook as a part of identities: two are equal if their hooks are of one type, and were equal when they were passed
/// in. Comparing two runs no code of theirs.
///
/// `Body` is the existential of the hook's protocol, which cannot be `Hashable` itself.
struct Hook<Body: Sendable>: Hashable, Sendable {
    let body: Body
    let identity: HookIdentity

    init(_ body: Body, identity: any Hashable & Sendable) {
        self.body = body
        self.identity = HookIdentity.of(identity)
    }

    static func == (left: Hook, right: Hook) -> Bool {
        left.identity === right.identity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(identity))
    }
}
