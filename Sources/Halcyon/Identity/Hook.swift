internal import HalcyonSystem

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

/// The identity of a hook and of all that are equal to it. Hooks are compared once, when they are passed in: keys of
/// shared work are compared under locks, where no code of a user may run.
final class HookIdentity: Sendable {
    private struct Entry: Sendable {
        let number: UInt64
        weak var identity: HookIdentity?
    }

    private struct Table: Sendable {
        /// The identities by hash value.
        var entries: [Int: [Entry]] = [:]
        var lastNumber: UInt64 = 0
    }

    private static let table = Lock(Table())

    private let value: any Hashable & Sendable
    private let hash: Int
    private let number: UInt64

    private init(_ value: any Hashable & Sendable, hash: Int) {
        self.value = value
        self.hash = hash
        number = Self.table.withLock { table in
            table.lastNumber += 1
            return table.lastNumber
        }
    }

    deinit {
        Self.table.withLock { table in
            table.entries[hash]?.removeAll { $0.number == number }
            if table.entries[hash]?.isEmpty == true { table.entries[hash] = nil }
        }
    }

    /// Returns the identity of a hook: the same for equal hooks of one type for as long as something refers to it.
    static func of(_ value: any Hashable & Sendable) -> HookIdentity {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(type(of: value)))
        hasher.combine(value)
        let hash = hasher.finalize()
        let candidate = HookIdentity(value, hash: hash)
        var unequal: Set<UInt64> = []
        while true {
            // References are moved out of the lock, so that none is released there as the last one.
            let others = table.withLock { table in (table.entries[hash] ?? []).map { ($0.number, $0.identity) } }
            for (number, other) in others where unequal.insert(number).inserted {
                if let other, other.value.isEqual(to: value) { return other }
            }
            let isNew = table.withLock { table in
                guard (table.entries[hash] ?? []).allSatisfy({ unequal.contains($0.number) }) else { return false }
                table.entries[hash, default: []].append(Entry(number: candidate.number, identity: candidate))
                return true
            }
            if isNew { return candidate }
        }
    }
}

extension Hashable {
    /// Returns whether both are of one type and equal.
    func isEqual(to other: any Hashable) -> Bool {
        (other as? Self) == self
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
