internal import HalcyonCodecs
internal import HalcyonSystem

/// Runs chains of processors; loads of one chain over one decoded image share its result.
///
/// Processors that can share a pass over the pixels do so. Chains with a common beginning each run it: a run holds its
/// part of the pixel budget, and never waits for another one.
final class ProcessingStage: Sendable {
    private let workers: PixelWorkers
    /// The chains under way.
    let work = WorkCoalescer<ProcessedWorkKey, LoadedPixels>(.processing)

    init(workers: PixelWorkers) {
        self.workers = workers
    }

    /// Returns the image that the processors of a request make, which takes a part of the budget for as long as its lease
    /// lives.
    func run(on input: LoadedPixels, for request: ResolvedRequest, context: WorkContext) async throws -> LoadedPixels {
        var (result, rest) = (input, request.options.processing.steps[...])
        while !rest.isEmpty {
            // Where the decoder did not convert the colours, they are converted after the first processor, and those
            // after it expect that.
            let converts = result.image.colorProfile != nil && request.options.decode.color != .asStored
            let run = try await request.source.typingErrors { [rest, result] in
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
        let (image, lease, processorTime) = try await request.source.typingErrors {
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
}
