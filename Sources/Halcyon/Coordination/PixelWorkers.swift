internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster
internal import HalcyonStore

/// The threads that read headers, decode, process and encode, and the budget for the pixels they have in the making.
final class PixelWorkers: Sendable {
    /// For caches that are used without a pipeline: one thread a processor, a quarter of the memory.
    static let shared = PixelWorkers(count: ProcessorCount.available, budget: SystemMemory().available / 4)

    private let queue: WorkQueue
    /// Bytes of pixels in the making.
    private let budget: Budget

    init(count: Int, budget: Int) {
        queue = WorkQueue(name: "halcyon.pixels", width: max(1, count))
        self.budget = Budget(limit: max(1, budget))
    }

    /// Pieces of work that wait for the budget.
    var budgetWaiterCount: Int { budget.waitingCount }

    /// Reads a header on a worker: some formats have libraries that parse the whole file for it.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func info(of data: Data, codecs: ImageCodecs, limits: DecodeLimits, priority: PriorityBox) async throws -> ImageInfo
    {
        try await queue.run(priority: priority) { _ in try codecs.info(of: data, limits: limits) }
    }

    /// Decodes on a worker, at the size that a target needs.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        target: DecodeTarget = .full,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        try await run(priority: priority) {
            let info = try codecs.info(of: data, limits: options.limits)
            var options = options
            options.targetSize = target.targetSize(for: info.displaySize)
            let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
            let bytes = info.size.area.multipliedReportingOverflow(by: depth.bytesPerPixel)
            return Demand(byteCount: bytes.overflow ? .max : bytes.partialValue) { [options] flag in
                try codecs.decode(data, options: options, isCancelled: { flag.isCancelled })
            }
        }
    }

    /// Encodes on a worker.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func encode(
        _ image: DecodedImage,
        codecs: ImageCodecs,
        serializer: ImageSerializer,
        color: ColorHandling = .asStored,
        priority: PriorityBox
    ) async throws -> Data {
        try await process(image, priority: priority) { image, flag in
            let image = try image.converted(color, isCancelled: { flag.isCancelled })
            let (format, options) = serializer.encoding(of: image)
            return try codecs.encode(image.bitmap, as: format, options: options)
        }
    }

    /// Makes something of an image on a worker. It is taken to need as much memory as the image.
    ///
    /// - Throws: What `body` throws, or `CancellationError`.
    func process<Result: Sendable>(
        _ image: DecodedImage,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(priority: priority) {
            Demand(byteCount: image.bitmap.byteCount) { flag in try body(image, flag) }
        }
    }

    /// Work that needs a part of the budget.
    private struct Demand<Result: Sendable>: Sendable {
        let byteCount: Int
        let body: @Sendable (CancellationFlag) throws -> Result
    }

    private enum Attempt<Result: Sendable>: Sendable {
        case done(Result)
        case mustWait(Demand<Result>)
    }

    /// Finds out on a worker what the work needs, and goes on there if the budget has that; else comes back to a worker
    /// when it has. So no thread waits for the budget, and no work holds a part of it while it waits for a thread.
    private func run<Result: Sendable>(
        priority: PriorityBox,
        _ demand: @escaping @Sendable () throws -> Demand<Result>
    ) async throws -> Result {
        let attempt = try await queue.run(priority: priority) { [budget] flag -> Attempt<Result> in
            let demand = try demand()
            let result = try budget.withAmountAtHand(demand.byteCount) { try demand.body(flag) }
            return result.map { .done($0) } ?? .mustWait(demand)
        }
        switch attempt {
        case .done(let result):
            return result
        case .mustWait(let demand):
            return try await budget.withAmount(demand.byteCount, priority: priority) {
                try await queue.run(priority: priority, demand.body)
            }
        }
    }
}
