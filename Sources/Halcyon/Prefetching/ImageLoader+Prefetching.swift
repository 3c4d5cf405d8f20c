internal import HalcyonCodecs

extension ImageLoader {
    /// Brings an image into the cache.
    ///
    /// - Returns: Whether it had to be loaded; `false` if the cache had it.
    /// - Throws: ``ImageError``, `CancellationError`.
    func prefetch(
        _ request: LoadRequest,
        to destination: ImagePrefetcher.Destination,
        context: WorkContext
    ) async throws -> Bool {
        try Task.checkCancellation()
        let request = begun(request)
        switch destination {
        case .memory:
            if responseFromMemory(for: request) != nil { return false }
            switch try await responseOfAnySource(for: request, context: context).origin {
            case .memory, .disk: return false
            case .network, .file, .data: return true
            }
        case .disk:
            return try await anySource(request) { try await storeOriginal(for: $0, context: context) }
        }
    }

    /// Gets an original onto the disk without decoding it.
    private func storeOriginal(for request: LoadRequest, context: WorkContext) async throws -> Bool {
        let policy = request.options.cache
        // What is on this machine anyway is not copied.
        guard policy.storesOnDisk, request.source.isCachedOnDisk, let key = request.key else { return false }
        if policy.reads == .all {
            if !request.options.processing.isIdentity, !policy.revalidates,
                try await hasFreshResult(key, for: request, context: context)
            {
                return false
            }
            // Where a server has a say, the load below finds out whether its original is still good.
            if followsServer(request) == nil {
                for cache in originalCaches(request.options) where try await cache.disk.contains(key.originalDiskKey) {
                    return false
                }
            }
        }
        let original = try await original(for: request, context: context)
        guard original.origin != .disk else { return false }
        do {
            // Keeps error pages out of the cache.
            _ = try await workers.info(
                of: original.data,
                codecs: codecs,
                limits: request.options.decode.limits,
                priority: context.priority
            )
        } catch let error as CodecError {
            let error = ImageError(stage: .decode, reason: .codec(error), source: "\(request.source)")
            recovery.remember(error, of: request)
            throw error
        }
        // Waiting for it keeps no more bytes in memory than there are loads at the same time.
        let priority = PriorityBox(.low)
        let claim = original.claim(of: request.permits)
        if let stored = store(original, claim: claim, options: request.options, priority: priority) {
            await priority.following(context.priority) { await stored.value }
        }
        return true
    }

    /// Whether the disk has the result of processors, and its original would not have to be asked for again.
    private func hasFreshResult(_ key: ImageKey, for request: LoadRequest, context: WorkContext) async throws -> Bool {
        let disk = target(request.options.cache).disk
        let entry = try await disk.entry(for: key.processedDiskKey, extending: .none, priority: context.priority)
        guard let entry, let metadata = ProcessedImageMetadata(entry.metadata) else { return false }
        return mayUse(validity(of: metadata, storedAt: entry.storedAt, for: request), insteadOf: nil, for: request)
    }
}
