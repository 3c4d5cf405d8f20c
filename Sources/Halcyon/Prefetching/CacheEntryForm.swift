internal import HalcyonCodecs
internal import HalcyonSystem

/// Nothing but an entry in the caches, for images that are needed later. The result is the place that it came from: that
/// of the cache if it had the image, or gets none.
struct CacheEntryForm: LoadForm {
    static let name = InterceptedLoad.Form.cacheEntry
    let parts: PipelineStages
    let destination: ImagePrefetcher.Destination

    init(_ parts: PipelineStages, in destination: ImagePrefetcher.Destination) {
        self.parts = parts
        self.destination = destination
    }

    /// Returns the disk for an original that is there and for which no server would have to be asked, and for one that it
    /// gets no copy of, as the bytes are on this machine anyway.
    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse.Source? {
        guard destination == .disk else { return nil }
        guard request.options.cache.storesOnDisk, request.source.isCachedOnDisk else { return .disk }
        if try await ImageForm(parts).hasResult(for: request, context: context) { return .disk }
        // Where a server decides about caching, loading finds out whether its original may still be used.
        guard request.work.readsDisk, !request.followsServer else { return nil }
        return try await request.originals.isOnDisk(CacheKey(name: request.key.originalDiskKey)) ? .disk : nil
    }

    func make(for request: ResolvedRequest, context: WorkContext) async throws -> LoadOutput<ImageResponse.Source> {
        guard destination == .disk else {
            let image = try await Load(ImageForm(parts)).shared(request, context: context)
            return made(image.source, for: request)
        }
        return try await parts.original.healing(request, context: context) { original in
            try await made(of: original, for: request, context: context)
        }
    }

    private func made(
        of original: Original,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> LoadOutput<ImageResponse.Source> {
        if original.caching.effect == .removeOriginal { await request.removeOriginal(by: original.claim(of: request)) }
        guard original.source != .disk || request.isBelowDisk(original) else {
            return made(.disk, for: request)
        }
        do {
            // Keeps error pages out of the cache, what was cut short unseen, and what cannot be shown in the place of what can.
            let isWhole = try await parts.workers.isWhole(original, of: request, over: parts.codecs, context.priority)
            guard isWhole else { return made(original.source, for: request) }
        } catch let error as CodecError {
            throw parts.recovery.failure(error, toDecode: original, of: request, context: context)
        }
        return LoadOutput(original.source, of: original, for: request)
    }

    /// A result of which nothing is stored.
    private func made(_ source: ImageResponse.Source, for request: ResolvedRequest) -> LoadOutput<ImageResponse.Source>
    {
        let claim = ContentClaim(registrations: request.registrations)
        return LoadOutput(result: source, caching: OriginalCaching(.leave), claim: claim, original: nil)
    }

    /// Waits for the store, so that there are no more bodies in memory than loads at the same time.
    func store(
        _ made: LoadOutput<ImageResponse.Source>,
        for request: ResolvedRequest,
        _ context: WorkContext
    ) async -> ImageResponse.Source {
        guard let original = made.original?.original else { return made.result }
        let priority = PriorityBox(.low)
        let changes = await request.replace(by: made.claim, made.caching.effect) {
            let writer = OriginalWriter(request: request, claim: made.claim, priority: priority)
            guard let started = writer.store(original) else { return [] }
            context.note(.storedOnDisk(.original))
            return [started]
        }
        await priority.following(context.priority) {
            for change in changes { await change.value }
        }
        return made.result
    }

    func loadResult(_ source: ImageResponse.Source) -> LoadResult { LoadResult(.cacheEntry(source)) }

    /// An answer of an interceptor is stored nowhere.
    func result(of answer: LoadResult, to request: ImageRequest, context: WorkContext) -> ImageResponse.Source {
        if case .cacheEntry(let source) = answer.content { source } else { .memory }
    }
}
