public import FoundationEssentials
internal import HalcyonSystem

extension ImagePipeline {
    /// Returns the image of a load as memory has it at a smaller size, without waiting; `nil` if it has none, or the
    /// options ask for the exact size. Of a file without a cache key it is that of the file as it was examined last.
    package func smallerImageInMemory(for request: ImageRequest) -> DecodedImage? {
        let request = completed(request)
        return stages.memory.smallerImage(
            of: request.source,
            in: lastState(of: request.source),
            options: request.options
        )
    }

    /// Returns the image if memory or disk has it, or if its bytes are on this machine, and blocks the calling thread
    /// meanwhile: for one read and one decoding, and the processors where the disk has the original alone.
    ///
    /// It answers as ``response(for:isolation:)`` would without sending a request: with the same keys, scopes,
    /// freshness and processing. An image about which the server would be asked first, or in the background, is not
    /// returned, nor one whose provider would have to be called. With ``ImageOption/onlyFromCache`` it is returned
    /// although it is no longer fresh, as the options allow. Sources that replace the requested one are not looked for.
    /// The image is stored in memory, and what is made of it on disk, as by a load.
    ///
    /// For places that cannot wait, such as the first frame of a view. It may be called on the main thread, and on any
    /// thread but those of the pipeline's own work, such as in a processor; a load that stores the image at that moment
    /// is waited for. In an asynchronous function ``response(for:isolation:)`` does the same without blocking.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - limit: The longest time for which the thread is blocked, but for the code of the program that runs on it.
    ///     Default: `nil`, without limit.
    /// - Returns: `nil` if there is no such image, it cannot be read, or the time was over before. A load then has the
    ///   reason.
    @available(*, noasync, message: "Blocks the thread; await response(for:) instead")
    public func responseFromCache(for request: ImageRequest, within limit: Duration? = nil) -> ImageResponse? {
        let request = prepared(request)
        if let response = preparedResponse(for: request) { return response }
        let call = stages.resolver.begin(request)
        // A thread waits.
        let priority = PriorityBox(max(request.options.priority, .high))
        let context = WorkContext(priority: priority, report: { _ in })
        let begun = stages.activities.begin(request)
        let response = CallingThreadExecutor.run(within: limit) { [stages] in
            try? await Load(ImageForm(stages), within: .thisMachine).observed(call, begun: begun, context: context)
        }
        return response.flatMap(\.self)?.delivered(request.options.delivery)
    }

    /// Returns the image at a URL if memory or disk has it, or if its bytes are on this machine, and blocks the calling
    /// thread meanwhile; see ``responseFromCache(for:within:)``.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - options: The changes to the options of the pipeline. Default: none.
    @available(*, noasync, message: "Blocks the thread; await response(for:) instead")
    public func responseFromCache(for url: URL, options: [ImageOption] = []) -> ImageResponse? {
        responseFromCache(for: ImageRequest(url, options: options))
    }

    /// Returns whether a load of a request would fail because the pipeline remembers a failure of it; see
    /// ``FailureMemory``.
    package func remembersFailure(of request: ImageRequest) -> Bool {
        guard configuration.recovery.failureMemory != nil else { return false }
        let pending = stages.resolver.begin(prepared(request))
        return pending.resolved.flatMap { stages.recovery.rememberedFailure(of: $0) } != nil
    }
}

extension ImagePipeline {
    /// Returns whether a tier has a request's image, or its original, once the stores that were begun are made in all of them.
    ///
    /// - Parameter tier: Default: any of the cache.
    package func isStored(_ request: ImageRequest, in tier: (any CacheTier)? = nil) async -> Bool {
        let request = completed(request)
        guard let key = ImageKey(request) else { return false }
        for place in [key.diskKey(request), CacheKey(name: key.originalDiskKey)] {
            await cache.tiers.settle(place)
            if let tier {
                if case .hit = await tier.entry(for: place, extending: .none, TierCall(priority: .low)) { return true }
            } else {
                let priority = PriorityBox(.low)
                let found = try? await cache.tiers.first(for: place, extending: .none, priority: priority) { _, _ in
                    true
                }
                if found == true { return true }
            }
        }
        return false
    }
}
