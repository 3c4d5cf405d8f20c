/// A hook as a value that counts in identities: two are equal if their hooks are of one type and equal.
///
/// `Body` is the existential of the hook's protocol, which cannot be `Hashable` itself.
struct Hook<Body: Sendable>: Hashable, Sendable {
    let body: Body
    private let identity: any Hashable & Sendable

    init(_ body: Body, identity: any Hashable & Sendable) {
        self.body = body
        self.identity = identity
    }

    static func == (left: Hook, right: Hook) -> Bool {
        left.identity.isEqual(to: right.identity)
    }

    func hash(into hasher: inout Hasher) {
        identity.hash(into: &hasher)
    }
}

extension Hashable {
    fileprivate func isEqual(to other: any Hashable) -> Bool {
        (other as? Self) == self
    }
}

/// A closure that can be told from another, which Swift itself cannot do: it is equal to itself and its copies only.
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
