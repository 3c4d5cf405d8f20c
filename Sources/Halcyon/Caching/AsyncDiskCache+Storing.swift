internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

extension AsyncDiskCache {
    /// Stores an entry in the background; ``flush()`` waits for it.
    ///
    /// - Parameters:
    ///   - name: The key of the entry, or the name of several entries of which `slot` picks one.
    ///   - slot: Picks the key when the entry is stored; it returns `nil` if nothing is to be stored. Default: the
    ///     name.
    ///   - durability: The safety of the entry from a crash and from a loss of power. Default: it waits for others.
    ///   - byteCount: The bytes that wait in memory meanwhile.
    ///   - priority: The priority of the store, which those that wait for it raise: nothing else may share it. Default:
    ///     low.
    ///   - replaced: The beginning of the keys of other entries, whose place it takes. Default: `nil`.
    ///   - admission: Asked right before the entry is stored, after all earlier changes.
    ///   - content: Makes the body and the metadata; it returns `nil` if nothing is to be stored.
    func store(
        for name: String,
        slot: (@Sendable (DiskCache) -> String?)? = nil,
        expiration: Expiration?,
        durability: DiskCache.Durability = .none,
        byteCount: Int,
        priority: PriorityBox = PriorityBox(.low),
        replacing replaced: String? = nil,
        admission: @escaping StoreAdmission,
        content: @escaping @Sendable () async throws -> (body: Data, metadata: Data)?
    ) -> Task<Void, Never> {
        // It is not cancelled: an image that was loaded is worth its place on disk, even if the caller has gone.
        return begin(name, byteCount: byteCount, priority: priority) { [self] in
            do {
                guard let content = try await made(content, for: name, slot == nil ? admission : nil) else { return }
                try await writing.run(priority: priority) { [cache] _ in
                    _ = try cache.replace(name, slot: slot, if: admission) { key in
                        if let replaced { try cache.removeEntries(prefix: replaced) }
                        return try cache.store(
                            content.body,
                            for: key,
                            metadata: content.metadata,
                            expiration: expiration,
                            durability: durability
                        )
                    }
                }
                flushSoon()
            } catch {
                faults.report(error)
                retrySoon()
            }
        }
    }

    /// Returns what is to be stored. If there is nothing, such as because it cannot be encoded, the entry that it was
    /// to replace is removed, which is older than what the load brought.
    ///
    /// - Parameter admission: Asked right before the entry is removed; `nil`: nothing is removed.
    private func made(
        _ content: @Sendable () async throws -> (body: Data, metadata: Data)?,
        for key: String,
        _ admission: StoreAdmission?
    ) async throws -> (body: Data, metadata: Data)? {
        do {
            if let content = try await content() { return content }
            if let admission { await remove(for: key, if: admission) }
            return nil
        } catch {
            if let admission { await remove(for: key, if: admission) }
            throw error
        }
    }

    /// Runs a function that stores an entry under a name, after all earlier changes; look-ups of the name wait for it.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, `CancellationError`.
    func change<Result: Sendable>(
        storing name: String,
        _ body: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        let result = Lock<Swift.Result<Result, any Error>?>(nil)
        let task = begin(name, byteCount: 0, priority: PriorityBox(.normal)) { [self] in
            do {
                let value = try await change(body)
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Begins a store. It is owned by the state until it ends, and made under the lock so that it cannot end before it
    /// is noted.
    func begin(
        _ name: String,
        byteCount: Int,
        priority: PriorityBox,
        _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let lock = state
        return lock.withLock { state in
            let number = state.pending.nextNumber()
            let task = Task.detached {
                await work()
                lock.withLock { $0.pending.remove(number) }
            }
            let store = PendingDiskStores.Store(name: name, task: task, priority: priority, byteCount: byteCount)
            state.pending.add(store, number: number)
            return task
        }
    }
}

extension DiskCache {
    /// Stores what replaces an entry, if that is admitted now. On the thread that changes the disk, this is one step.
    ///
    /// The entry that was to be replaced is older than the content. It is removed if the store fails, and if the content
    /// may not be stored although it is newer.
    ///
    /// - Parameters:
    ///   - name: The key of the entry, or the name of several entries of which `slot` picks one.
    ///   - slot: Picks the key; it returns `nil` if nothing is to be stored. Default: the name.
    ///   - store: Stores the content under a key, and returns whether it is stored.
    /// - Returns: A Boolean value that indicates whether the content is stored.
    func replace(
        _ name: String,
        slot: ((DiskCache) -> String?)? = nil,
        if admission: StoreAdmission,
        with store: (_ key: String) throws -> Bool
    ) throws -> Bool {
        let key = if let slot { slot(self) } else { Optional(name) }
        guard let key, admission() else { return false }
        do {
            return try store(key)
        } catch {
            _ = try? remove(for: key)
            throw error
        }
    }
}
