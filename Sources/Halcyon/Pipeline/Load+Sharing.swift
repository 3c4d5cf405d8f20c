internal import HalcyonStore

extension Load {
    /// Makes a result and begins to store it, unless another process makes it, or transfers its original, meanwhile.
    ///
    /// Not inlined, as the call that waits for the result keeps its frame.
    @inline(never)
    func made(for request: ResolvedRequest, context: WorkContext) async throws -> Form.Result {
        // Nothing is stored before the result is made: what could not be decoded replaces nothing.
        let make = { [form] in
            await form.store(try await form.make(for: request, context: context), for: request, context)
        }
        guard let sharing = parts.sharing, request.reach == .anywhere, request.options.cache.storesOnDisk else {
            return try await make()
        }
        let transfer = {
            guard try await request.isWorthSharingTransfer else { return try await make() }
            let (tiers, key) = (request.originals.tiers, CacheKey(name: request.key.originalDiskKey))
            // The original that another process has transferred is found as any other.
            return try await sharing.value(for: key, stored: { nil }, make: make, settle: { await tiers.settle(key) })
        }
        guard request.mayBeResult else { return try await transfer() }
        let (tiers, key) = (request.target.tiers, CacheKey(text: request.resultDiskKey))
        return try await sharing.value(
            for: key,
            stored: { [form] in try await form.stored(for: request, context: context) },
            make: transfer,
            settle: { await tiers.settle(key) }
        )
    }
}

extension ResolvedRequest {
    /// `true` if the original comes from a server, is stored, and is not on the disk of this machine: its transfer may then
    /// serve other processes.
    fileprivate var isWorthSharingTransfer: Bool {
        get async throws {
            guard source.isFromServer, source.isCachedOnDisk, work.readsDisk,
                !isProcessed || options.cache.keepsOriginal
            else { return false }
            return try await !originals.isOnDisk(CacheKey(name: key.originalDiskKey))
        }
    }
}
