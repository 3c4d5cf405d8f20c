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
