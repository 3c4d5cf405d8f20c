internal import HalcyonCodecs
internal import HalcyonSystem

/// Runs chains of processors; loads of one chain over one decoded image share its result.
///
/// Processors that can share a pass over the pixels do so. Chains with a common beginning each run it: a run holds its
/// part of the pixel budget, and never waits for another one.
final class ProcessingStage: Sendable {
    private let workers: PixelWorkers
    private let decoding: DecodingStage
    /// The chains under way.
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
        var timings = result.original.timings
        timings.decode = result.decodeTime
        timings.process = result.processTime
        timings.processorTime = result.processorTime
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
        let processing = request.options.processing
        let decoded = DecodedWorkKey(request)
        guard !processing.isIdentity else {
            return try await decoding.image(for: request, key: decoded, context: context)
        }
        let key = ProcessedWorkKey(decoding: decoded, processing: processing)
        return try await work.value(for: key, of: request, context: context) { [self] context in
            let input = try await decoding.image(for: request, key: decoded, context: context)
            return try await run(processing.steps[...], on: input, decoded, for: request, context: context)
        }
    }

    /// Runs the processors of a chain.
    private func run(
        _ steps: ArraySlice<ImageProcessorChain.Step>,
        on input: DecodedOriginal,
        _ decoded: DecodedWorkKey,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        var (result, rest) = (input, steps)
        while !rest.isEmpty {
            // Where the decoder did not convert the colours, they are converted after the first processor, and those
            // after it expect that.
            let converts = result.image.colorProfile != nil && decoded.decode.color != .asStored
            let run = try await reportingErrors(of: request) { [rest, result] in
                try ProcessingRun(rest, on: result.image, joinsSteps: !converts)
            }
            result = try await self.run(run, on: result, decoded, for: request, context: context)
            rest = rest.dropFirst(run.steps.count)
        }
        return result
    }

    private func run(
        _ run: ProcessingRun,
        on input: DecodedOriginal,
        _ decoded: DecodedWorkKey,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        let start = ContinuousClock.now
        context.begin(.process)
        let (image, lease, processorTime) = try await reportingErrors(of: request) {
            try await (request.options.workers ?? workers).process(
                input.image,
                lease: input.lease,
                size: run.workingSize(for: input.image),
                place: run.steps.startIndex,
                priority: context.priority
            ) { image, flag in
                let result = try run.process(image, isCancelled: { flag.isCancelled })
                return try result.converted(decoded.decode.color, isCancelled: { flag.isCancelled })
            }
        }
        let time = ContinuousClock.now - start
        context.note(.processed(run.name, size: image.bitmap.size, duration: time))
        return DecodedOriginal(
            image: image,
            lease: lease,
            original: input.original,
            decodeTime: input.decodeTime,
            processTime: (input.processTime ?? .zero) + time,
            processorTime: input.processorTime + processorTime
        )
    }

    /// Turns the errors of processors into those of a load.
    private func reportingErrors<Result>(
        of request: ResolvedRequest,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ImageError(stage: .process, reason: .processing("\(error)"), source: "\(request.source)")
        }
    }
}
