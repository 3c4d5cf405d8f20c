internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Runs chains of processors; each beginning of a chain is shared by all chains that begin so.
final class ProcessingStage: Sendable {
    private let workers: PixelWorkers
    private let decoding: DecodingStage
    /// The runs of processors under way.
    let work = WorkCoalescer<ProcessedWorkKey, DecodedOriginal>(.processing)

    init(workers: PixelWorkers, decoding: DecodingStage) {
        self.workers = workers
        self.decoding = decoding
    }

    /// Returns the processed image and the original it was made of. The image's pixels no longer take a part of the
    /// budget.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> (response: ImageResponse, original: Original) {
        let result = try await result(for: request, context: context)
        return try await response(to: request, with: result, context: context)
    }

    /// Returns the processed image of an original at hand, without sharing work with others.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(
        for request: ResolvedRequest,
        from original: Original,
        context: WorkContext
    ) async throws -> (response: ImageResponse, original: Original) {
        let key = DecodedWorkKey(request)
        var result = try await decoding.image(of: original, for: request, key: key, context: context)
        for (place, step) in request.options.processing.steps.enumerated() {
            result = try await run(step.processor, on: result, place: place, key, for: request, context: context)
        }
        return try await response(to: request, with: result, context: context)
    }

    /// Returns the response with a result, to which the animation is added that its file has.
    private func response(
        to request: ResolvedRequest,
        with result: DecodedOriginal,
        context: WorkContext
    ) async throws -> (response: ImageResponse, original: Original) {
        var timings = result.original.timings
        timings.decode = result.decodeTime
        timings.process = result.processTime
        let response = ImageResponse(
            image: try await decoding.animated(result, for: request, context: context),
            source: result.original.source,
            byteCount: result.original.data.count,
            data: request.options.delivery.includesOriginalData && request.source.hasEncodedBytes
                ? result.original.data : nil,
            timings: timings,
            metrics: result.original.metrics,
            head: result.original.head
        )
        return (response, result.original)
    }

    /// Returns the processed image, which takes a part of the budget for as long as its lease lives.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(for request: ResolvedRequest, context: WorkContext) async throws -> DecodedOriginal {
        try await image(request.options.processing, of: DecodedWorkKey(request), for: request, context: context)
    }

    /// Returns the result of a chain.
    private func image(
        _ processing: ImageProcessorChain,
        of decoded: DecodedWorkKey,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        guard let (rest, last) = processing.droppingLast else {
            return try await decoding.image(for: request, key: decoded, context: context)
        }
        let key = ProcessedWorkKey(decoding: decoded, processing: processing)
        return try await work.value(for: key, since: request.sharesSince, context: context) { [self] context in
            let input = try await image(rest, of: decoded, for: request, context: context)
            return try await run(
                last,
                on: input,
                place: rest.steps.count,
                decoded,
                for: request,
                context: context
            )
        }
    }

    /// Runs a processor.
    ///
    /// - Parameter place: The number of processors that come before it in the chain.
    private func run(
        _ processor: any ImageProcessing,
        on input: DecodedOriginal,
        place: Int,
        _ decoded: DecodedWorkKey,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        let start = ContinuousClock.now
        context.begin(.process)
        do {
            let (image, lease) = try await (request.options.workers ?? workers).process(
                input.image,
                lease: input.lease,
                size: processor.workingSize(for: input.image),
                place: place,
                priority: context.priority
            ) { image, flag in
                let result = try processor.process(image, isCancelled: { flag.isCancelled })
                // Where the decoder did not convert the colours, they are converted after the first processor.
                return try result.converted(decoded.decode.color, isCancelled: { flag.isCancelled })
            }
            let time = ContinuousClock.now - start
            context.note(.processed("\(type(of: processor))", size: image.bitmap.size, duration: time))
            return DecodedOriginal(
                image: image,
                lease: lease,
                original: input.original,
                decodeTime: input.decodeTime,
                processTime: (input.processTime ?? .zero) + time
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ImageError(stage: .process, reason: .processing("\(error)"), source: "\(request.source)")
        }
    }
}
