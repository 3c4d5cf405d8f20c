import HalcyonSystem

/// Counts calls.
final class CallCounter: Sendable {
    private let count = Lock(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
