internal import HalcyonSystem

/// Previews that the options name are loaded beside the image itself, and others made of its bytes as they arrive.
///
/// Each is a load of its own, with the options of the image: it is found in the caches, shared with equal loads and
/// stored as any other. What happens to it changes nothing about the load of the image.
extension PipelineStages {
    /// Hands out the best preview of an image that memory has, without waiting.
    func sendCachedPreview(of request: ImageRequest, to feed: PreviewFeed) {
        for quality in request.options.previews.indices.reversed() {
            let preview = request.preview(quality)
            if let response = memory.response(for: preview.source, options: preview.options) {
                return feed.send(ImagePreview(response: response, source: preview.source, quality: quality))
            }
        }
    }

    /// Returns the image of a request. Until it is there, the feed is given previews, each better than the one before.
    func sendingPreviews(
        of request: PendingRequest,
        to feed: PreviewFeed,
        context: WorkContext,
        load: (WorkContext) async throws -> ImageResponse
    ) async throws -> ImageResponse {
        // That of an intercepted load is not begun yet.
        let request = request.interceptors.isEmpty ? request : resolver.named(request)
        // Ended before the result can be read.
        defer { feed.finish() }
        let loads = PreviewLoads(best: feed.best?.quality ?? -1)
        defer { loads.cancelAll() }
        // A preview is of use only as long as the image is not there.
        let priority = PriorityBox(context.priority.value.raised)
        let observer = context.priority.addObserver { priority.update(context.priority.value.raised) }
        defer { context.priority.removeObserver(observer) }
        priority.update(context.priority.value.raised)
        for quality in request.options.previews.indices {
            loads.start(quality) { [self] in
                var preview = request.request.preview(quality)
                // An image that is on disk is there before a server has answered.
                if preview.source.isFromServer, await isOnDisk(request) { preview.options.network.isAllowed = false }
                let pending = resolver.begin(preview, begun: request.begun, within: request.enclosing)
                let previewContext = WorkContext(priority: priority, report: { _ in })
                // A preview that fails is left out.
                let begun = activities.begin(preview)
                let load = Load(ImageForm(self))
                let response = try? await load.observed(pending, begun: begun, context: previewContext)
                guard let response else { return }
                loads.succeeded(quality)
                let delivered = response.delivered(preview.options.delivery)
                feed.send(ImagePreview(response: delivered, source: preview.source, quality: quality))
            }
        }
        guard request.request.options.progressive.isActive else { return try await load(context) }
        let bodies = ProgressiveLoads(
            progressive,
            of: request.request,
            decoded: request.resolved.map(DecodedWorkKey.init),
            priority: context.priority
        ) { preview in
            if preview.rank.quality > 0 { loads.succeeded(preview.rank.quality) }
            feed.send(preview)
        }
        defer { bodies.cancelAll() }
        return try await load(context.watching { bodies.receive($0) })
    }

    /// Returns whether the disk has the image or its original, which may still have to be validated.
    private func isOnDisk(_ request: PendingRequest) async -> Bool {
        guard let request = request.resolved, request.work.readsDisk, request.source.isCachedOnDisk else {
            return false
        }
        if request.isProcessed,
            (try? await request.target.isOnDisk(CacheKey(text: request.resultDiskKey))) == true
        {
            return true
        }
        return (try? await request.originals.isOnDisk(CacheKey(name: request.key.originalDiskKey))) == true
    }
}

extension ImageRequest {
    /// Returns the request of one of the previews: with the options of the image, but tried once, from this source alone,
    /// and without waiting until it is stored.
    fileprivate func preview(_ quality: Int) -> ImageRequest {
        let source = options.previews[quality]
        var options = options
        options.previews = []
        options.progressive = .none
        options.recovery = options.recovery.ofOneSource
        options.recovery.retry = nil
        options.cache.waitsForStore = false
        options.delivery.includesOriginalData = false
        // The image's own source stands for what the caches have of it, however old that is.
        if source == self.source {
            options.network.isAllowed = false
            options.cache.freshness = .ignoringServer
            options.cache.revalidates = false
            if options.cache.isForcedRefresh { options.cache.reads = .all }
            options.cache.storesInMemory = false
            options.cache.storesOnDisk = false
        }
        // A hash has no second frame.
        if case .inline = source.location { options.decode.frame = 0 }
        return ImageRequest(source, exactly: options)
    }
}

extension LoadPriority {
    /// The next higher priority, or the highest.
    fileprivate var raised: LoadPriority { LoadPriority(rawValue: rawValue + 1) ?? self }
}
