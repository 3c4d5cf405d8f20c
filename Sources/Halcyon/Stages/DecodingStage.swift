internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// Decodes originals, at the size the first processor needs.
final class DecodingStage: Sendable {
    private let codecs: ImageCodecs
    private let workers: PixelWorkers
    private let recovery: Recovery
    /// Those that have read images while their bytes arrived.
    private let progressive: ProgressiveDecoders
    /// The decodings under way.
    let work = WorkCoalescer<DecodedWorkKey, LoadedPixels>(.decoding)

    init(codecs: ImageCodecs, workers: PixelWorkers, recovery: Recovery, progressive: ProgressiveDecoders) {
        self.codecs = codecs
        self.workers = workers
        self.recovery = recovery
        self.progressive = progressive
    }

    /// Returns the image of a result with the animation that its file has, as far as the options ask for it.
    func animated(
        _ result: LoadedPixels,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> DecodedImage {
        guard result.image.info.isAnimated, request.source.hasEncodedBytes, let original = result.original else {
            return result.image
        }
        return try await request.source.typingErrors(ofCodecsAt: .decode) {
            try await (request.options.workers ?? workers).animated(
                result.image,
                lease: result.lease,
                of: original.data,
                options: request.options,
                codecs: request.codecs(over: codecs),
                priority: context.priority
            )
        }
    }

    /// Returns the pixels of an original.
    func decode(
        _ original: Original,
        for request: ResolvedRequest,
        _ key: DecodedWorkKey,
        context: WorkContext
    ) async throws -> LoadedPixels {
        let start = ContinuousClock.now
        context.begin(.decode)
        var options = key.decode.decodeOptions
        if options.color != key.color { options.convertColorsLater() }
        // What a worker has begun has its colours converted before it is scaled.
        let isConvertedFirst = key.scalesToTarget && key.color != .asStored
        let begun = isConvertedFirst ? nil : await progressive.take(for: key, of: original.data)
        do {
            let (image, lease, processorTime) = try await (request.options.workers ?? workers).decode(
                original.data,
                codecs: request.codecs(over: codecs) { [recovery] format, error in
                    recovery.reportDecodedInProgram(format, error, context: context)
                },
                options: options,
                target: key.target,
                scalesToTarget: key.scalesToTarget,
                begun: begun,
                priority: context.priority
            )
            let time = ContinuousClock.now - start
            context.note(.decoded(image.info.format, size: image.bitmap.size, duration: time))
            return LoadedPixels(
                image: image,
                lease: lease,
                provenance: .original(original),
                decodeTime: time,
                processorTime: processorTime
            )
        } catch let error as CodecError {
            throw recovery.failure(error, toDecode: original, of: request, frame: key.decode.frame, context: context)
        } catch let error as BitmapError {
            throw ImageError(stage: .decode, reason: .codec(.bitmap(error)), source: "\(request.source)")
        }
    }
}

extension ImageError {
    /// A Boolean value that indicates whether the bytes themselves are unusable.
    var isDamage: Bool { if case .codec(let error) = reason { error.isDamage } else { false } }
}

extension CodecError {
    /// A Boolean value that indicates whether the bytes themselves are unusable. A limit, a lack of memory or a frame
    /// that does not exist is no evidence of that.
    var isDamage: Bool {
        switch self {
        case .empty, .unknownFormat, .truncated, .corrupt: true
        case .unregistered, .unsupported, .limitExceeded, .noSuchFrame, .bitmap, .cannotEncode, .tooManyBytes,
            .isolation:
            false
        }
    }
}
