internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

extension AsyncDiskCache {
    /// Replaces the metadata of an entry, if it is still the version that was found, also in a task that was cancelled.
    ///
    /// - Parameters:
    ///   - expiration: The entry's lifetime from now on; `nil` leaves it as it is.
    ///   - version: The version that was found.
    /// - Returns: The new version; `nil` if the entry is no longer the one that was found, or the disk fails.
    func updateMetadata(
        _ metadata: Data,
        for key: String,
        expiration: Expiration?,
        replacing version: DiskCache.Version
    ) async -> DiskCache.Version? {
        await write(priority: .normal) { [cache, faults] in
            do {
                return try cache.replaceMetadata(metadata, for: key, expiration: expiration, replacing: version)
            } catch {
                faults.report(error)
                return nil
            }
        }
    }

    /// Removes an entry, also in a task that was cancelled.
    ///
    /// - Parameter admission: Asked right before it is removed, after all earlier changes. Default: `nil`, which admits
    ///   it.
    func remove(for key: String, if admission: StoreAdmission? = nil) async {
        await write(priority: .normal) { [cache, faults] in
            do {
                if admission?() ?? true { try cache.remove(for: key) }
            } catch {
                faults.report(error)
            }
        }
    }

    /// Removes an entry, if it is still the version that was found, also in a task that was cancelled.
    func remove(for key: String, ifStill version: DiskCache.Version) async {
        await write(priority: .normal) { [cache, faults] in
            do {
                try cache.remove(for: key, ifStill: version)
            } catch {
                faults.report(error)
            }
        }
    }

    /// Runs a function that removes or replaces entries, after all earlier changes, also in a task that was cancelled:
    /// the removal has begun in memory.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func remove<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        do {
            return try await write(priority: .normal) { [cache] in Swift.Result { try body(cache) } }.get()
        } catch let error as DiskCacheError {
            throw failure(error)
        }
    }

    /// Runs a function that stores or removes entries, after all earlier changes.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func change<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        try await perform(on: writing, body)
    }
}
