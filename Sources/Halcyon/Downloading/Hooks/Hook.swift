/// A hook as a part of identities: two are equal if their hooks are of one type, and were equal when they were passed
/// in. Comparing two runs no code of theirs.
///
/// `Body` is the existential of the hook's protocol, which cannot be `Hashable` itself.
struct Hook<Body: Sendable>: Hashable, Sendable {
    let body: Body
    private let identity: HookIdentity

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

/// A closure with an identity, which Swift's closures lack: it is equal to itself and its copies only.
final class IdentifiedClosure<Function: Sendable>: Hashable, Sendable {
    let function: Function

    init(_ function: Function) {
        self.function = function
    }

    static func == (left: IdentifiedClosure, right: IdentifiedClosure) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
