internal import HalcyonCodecs
internal import HalcyonSystem

/// Runs chains of processors; loads of one chain over one decoded image share its result.
///
/// Processors that can share a pass over the pixels do so. Chains with a common beginning each run it: a run holds its
/// part of the pixel budget, and never waits for another one.
final class ProcessingStage: Sendable {
    private let workers: PixelWorkers
    private let decoding: DecodingStage
    private let memory: MemoryStage
    /// The chains under way.
    let work = WorkCoalescer<ProcessedWorkKey, LoadedPixels>(.processing)

    init(workers: PixelWorkers, decoding: DecodingStage, memory: MemoryStage) {
        self.workers = workers
        self.decoding = decoding
        self.memory = memory
    }

    /// Returns the processed image, which takes a part of the budget for as long as its lease lives.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(for request: ResolvedRequest, context: WorkContext) async throws -> LoadedPixels {
        let processing = request.options.processing
        let decoded = DecodedWorkKey(request)
        guard !processing.isIdentity else {
            return try await decoding.image(for: request, key: decoded, context: context)
        }
        // Not shared with requests that may not read memory.
        if let pixels = memory.unprocessed(for: request).flatMap({ LoadedPixels($0) }) {
            return try await run(processing.steps[...], on: pixels, for: request, context: context)
        }
        let key = ProcessedWorkKey(decoding: decoded, processing: processing)
        return try await work.value(for: key, of: request, context: context) { [self] context in
            let input = try await decoding.image(for: request, key: decoded, context: context)
            return try await run(processing.steps[...], on: input, for: request, context: context)
        }
    }

    /// Runs the processors of a chain.
    private func run(
        _ steps: ArraySlice<ImageProcessorChain.Step>,
        on input: LoadedPixels,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> LoadedPixels {
        var (result, rest) = (input, steps)
        while !rest.isEmpty {
            // Where the decoder did not convert the colours, they are converted after the first processor, and those
            // after it expect that.
            let converts = result.image.colorProfile != nil && request.options.decode.color != .asStored
            let run = try await reportingErrors(of: request) { [rest, result] in
                try ProcessingRun(rest, on: result.image, joinsSteps: !converts)
            }
            result = try await self.run(run, on: result, for: request, context: context)
            rest = rest.dropFirst(run.steps.count)
        }
        return result
    }

    private func run(
        _ run: ProcessingRun,
        on input: LoadedPixels,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> LoadedPixels {
        let start = ContinuousClock.now
        let color = request.options.decode.color
        let maximum = request.options.decode.limits.memory
        context.begin(.process)
        let (image, lease, processorTime) = try await reportingErrors(of: request) {
            let size = run.workingSize(for: input.image)
            let byteCount = size.bitmapByteCount(depth: input.image.bitmap.depth)
            // The image is within the limit that it was decoded with; some processors have it several times while they work.
            guard byteCount / 4 <= max(maximum / 4, input.image.bitmap.byteCount) else {
                throw ProcessingError.tooManyBytes(byteCount: byteCount, maximum: maximum)
            }
            return try await (request.options.workers ?? workers).process(
                input.image,
                lease: input.lease ?? PixelLease([]),
                size: size,
                place: run.steps.startIndex,
                priority: context.priority
            ) { image, flag in
                let result = try run.process(image, isCancelled: { flag.isCancelled })
                return try result.converted(color, isCancelled: { flag.isCancelled })
            }
        }
        let time = ContinuousClock.now - start
        context.note(.processed(run.name, size: image.bitmap.size, duration: time))
        return LoadedPixels(
            image: image,
            lease: lease,
            provenance: input.provenance,
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
