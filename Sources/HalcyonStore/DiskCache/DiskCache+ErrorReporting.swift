internal import Synchronization

extension DiskCache {
    /// Runs `body`, and turns its errors into one that names the operation.
    func failing<Result>(
        _ operation: DiskCacheError.Operation,
        _ body: () throws -> Result
    ) throws(DiskCacheError) -> Result {
        do {
            let result = try body()
            reportedFailures.remove(operation)
            return result
        } catch let error as DiskCacheError {
            throw error
        } catch let error as SQLiteError {
            throw DiskCacheError(operation, path: layout.index, error)
        } catch let error as FileSystemError {
            throw DiskCacheError(operation, path: folder, error)
        } catch {
            throw DiskCacheError(operation, path: folder, reason: String(describing: error))
        }
    }

    /// Runs `body`, and reports its error instead of throwing it: once, until such a call succeeds again.
    func answering<Result>(
        _ operation: DiskCacheError.Operation,
        _ fallback: Result,
        _ body: () throws -> Result
    ) -> Result {
        do throws(DiskCacheError) {
            return try failing(operation, body)
        } catch {
            if reportedFailures.insert(operation) {
                configuration.onEvent?(.failure(error))
            }
            return fallback
        }
    }
}

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
