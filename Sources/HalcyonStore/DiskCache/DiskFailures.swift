internal import Synchronization

/// The kinds of calls whose failure was reported, and which have not succeeded since: a set without a lock, because
/// each call that succeeds looks into it.
final class DiskFailures: Sendable {
    private let bits = Atomic<UInt8>(0)

    /// Adds a kind of call. Returns whether it was not there.
    func insert(_ operation: DiskCacheError.Operation) -> Bool {
        bits.bitwiseOr(operation.bit, ordering: .relaxed).oldValue & operation.bit == 0
    }

    /// Takes a kind of call out. Writes nothing if it is not there.
    func remove(_ operation: DiskCacheError.Operation) {
        guard bits.load(ordering: .relaxed) & operation.bit != 0 else { return }
        bits.bitwiseAnd(~operation.bit, ordering: .relaxed)
    }
}

extension DiskCacheError.Operation {
    fileprivate var bit: UInt8 {
        switch self {
        case .open: 1
        case .read: 2
        case .write: 4
        case .remove: 8
        case .maintain: 16
        }
    }
}
