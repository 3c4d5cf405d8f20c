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
