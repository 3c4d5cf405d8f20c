internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster

extension ImageLoader {
    /// The original's pixels, at the size the first processor needs.
    func decodedOriginal(
        for request: LoadRequest,
        key: ImageKey,
        work decoding: DecodedWorkKey,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        try await decodings.value(for: decoding, since: request.sharesSince, context: context) { [self] context in
            let original = try await self.original(for: request, key: key, work: decoding.original, context: context)
            do {
                return try await decoded(original, request: request, decoding: decoding, context: context)
            } catch let error as ImageError where original.origin == .disk && error.isDamage {
                // What is on disk is no use: it goes, and the load goes on as if it had never been there.
                for cache in originalCaches(request.options) {
                    await cache.disk.remove(original.caching.sourceKey ?? key.originalDiskKey)
                }
                let work = OriginalWorkKey(request, original: key.original, readsDisk: false)
                let original = try await self.original(for: request, key: key, work: work, context: context)
                return try await decoded(original, request: request, decoding: decoding, context: context)
            }
        }
    }

    private func decoded(
        _ original: Original,
        request: LoadRequest,
        decoding: DecodedWorkKey,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        let start = ContinuousClock.now
        var options = decoding.decode.decodeOptions
        options.color = decoding.color
        do {
            let image = try await workers.decode(
                original.data,
                codecs: codecs,
                options: options,
                target: decoding.target,
                priority: context.priority
            )
            return DecodedOriginal(image: image, original: original, decodeTime: ContinuousClock.now - start)
        } catch let error as CodecError {
            let error = ImageError(stage: .decode, reason: .codec(error), source: "\(request.source)")
            if original.origin == .network { recovery.remember(error, of: request) }
            throw error
        } catch let error as BitmapError {
            throw ImageError(stage: .decode, reason: .codec(.bitmap(error)), source: "\(request.source)")
        }
    }
}

extension ImageError {
    /// Whether the bytes themselves are no use. A limit, or a frame that does not exist, says nothing against them.
    var isDamage: Bool {
        guard case .codec(let error) = reason else { return false }
        return switch error {
        case .empty, .unknownFormat, .truncated, .corrupt: true
        case .unsupported, .limitExceeded, .noSuchFrame, .bitmap, .cannotEncode, .tooManyBytes: false
        }
    }
}
