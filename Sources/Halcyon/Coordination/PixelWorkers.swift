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
    /// Bytes of pixels in the making, and of those that wait to be processed.
    private let budget: Budget
    /// Bytes of the results of processors, by the place of the processor in its chain. Work that holds a part of a budget
    /// must not wait for more of it, and what waits to be processed holds a part of the one before.
    private let results: Lock<[Budget]>

    init(count: Int, budget: Int) {
        queue = WorkQueue(name: "halcyon.pixels", width: max(1, count))
        self.budget = Budget(limit: max(1, budget))
        results = Lock([])
    }

    /// Pieces of work that wait for the budget.
    var budgetWaiterCount: Int {
        budget.waitingCount + results.withLock { $0 }.reduce(0) { $0 + $1.waitingCount }
    }

    /// The budget for the results of the processors at a place in their chains.
    private func budget(ofResultsAt place: Int) -> Budget {
        results.withLock { results in
            while results.count <= place { results.append(Budget(limit: budget.limit)) }
            return results[place]
        }
    }

    /// Pieces of work that wait for a thread.
    var waitingCount: Int { queue.waitingCount }

    /// Reads a header on a worker: some formats have libraries that parse the whole file for it.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func info(of data: Data, codecs: ImageCodecs, limits: DecodeLimits, priority: PriorityBox) async throws -> ImageInfo
    {
        try await queue.run(priority: priority) { _ in try codecs.info(of: data, limits: limits) }
    }

    /// Decodes on a worker what is handed out at once.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        try await decode(data, codecs: codecs, options: options, target: .full, priority: priority).image
    }

    /// Decodes on a worker, at the size that a target needs.
    ///
    /// - Returns: The image, and the part of the budget that its pixels take until they are processed or handed out.
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        target: DecodeTarget,
        priority: PriorityBox
    ) async throws -> (image: DecodedImage, lease: BudgetLease) {
        let (image, lease) = try await run(priority: priority, within: budget) {
            let info = try codecs.info(of: data, limits: options.limits)
            var options = options
            options.targetSize = target.targetSize(for: info.displaySize)
            let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
            let size = Self.largestSize(of: info, target: options.targetSize)
            return Demand(byteCount: Self.byteCount(size, depth)) { [options] flag in
                try codecs.decode(data, options: options, isCancelled: { flag.isCancelled })
            }
        }
        // A decoder that reduced the image is done with the rest.
        lease.reduce(to: image.bitmap.byteCount)
        return (image, lease)
    }

    /// The size of what a decoder may have to make: a drawing is made as large as it takes to cover a target.
    private static func largestSize(of info: ImageInfo, target: PixelSize?) -> PixelSize {
        guard info.format == .svg, let target else { return info.size }
        return info.displaySize.filling(target)
    }

    private static func byteCount(_ size: PixelSize, _ depth: SampleDepth) -> Int {
        let (bytes, overflows) = size.area.multipliedReportingOverflow(by: depth.bytesPerPixel)
        return overflows ? .max : bytes
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
        try await withPixels(of: image, priority: priority) { image, flag in
            let image = try image.converted(color, isCancelled: { flag.isCancelled })
            let (format, options) = serializer.encoding(of: image)
            return try codecs.encode(image.bitmap, as: format, options: options)
        }
    }

    /// Makes something other than an image of an image on a worker. It is taken to need as much memory as the image.
    ///
    /// - Throws: What `body` throws, or `CancellationError`.
    func withPixels<Result: Sendable>(
        of image: DecodedImage,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(priority: priority, within: budget) {
            Demand(byteCount: image.bitmap.byteCount) { flag in try body(image, flag) }
        }.result
    }

    /// Makes one image of another on a worker.
    ///
    /// - Parameters:
    ///   - size: The size of the largest bitmap that is made.
    ///   - place: How many processors of the chain come before.
    /// - Returns: The image, and the part of the budget that its pixels take until they are processed or handed out.
    /// - Throws: What `body` throws, or `CancellationError`.
    func process(
        _ image: DecodedImage,
        size: PixelSize,
        place: Int,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> DecodedImage
    ) async throws -> (image: DecodedImage, lease: BudgetLease) {
        let need = Self.byteCount(size, image.bitmap.depth)
        // What goes on with an image is done with it the sooner.
        let (result, lease) = try await run(
            priority: priority,
            within: budget(ofResultsAt: place),
            isContinuation: place > 0
        ) {
            Demand(byteCount: need) { flag in try body(image, flag) }
        }
        lease.reduce(to: result.bitmap.byteCount)
        return (result, lease)
    }

    /// Work that needs a part of the budget.
    private struct Demand<Result: Sendable>: Sendable {
        let byteCount: Int
        let body: @Sendable (CancellationFlag) throws -> Result
    }

    private enum Attempt<Result: Sendable>: Sendable {
        case done(Result, BudgetLease)
        case mustWait(Demand<Result>)
    }

    /// Finds out on a worker what the work needs, and goes on there if the budget has that; else comes back to a worker
    /// when it has. So no thread waits for the budget.
    private func run<Result: Sendable>(
        priority: PriorityBox,
        within budget: Budget,
        isContinuation: Bool = false,
        _ demand: @escaping @Sendable () throws -> Demand<Result>
    ) async throws -> (result: Result, lease: BudgetLease) {
        let attempt = try await queue.run(priority: priority, isContinuation: isContinuation) {
            flag -> Attempt<Result> in
            let demand = try demand()
            guard let lease = budget.leaseAtHand(demand.byteCount) else { return .mustWait(demand) }
            return .done(try demand.body(flag), lease)
        }
        switch attempt {
        case .done(let result, let lease):
            return (result, lease)
        case .mustWait(let demand):
            let lease = try await budget.lease(demand.byteCount, priority: priority)
            // It has its part of the budget, which others wait for.
            return (try await queue.run(priority: priority, isContinuation: true, demand.body), lease)
        }
    }
}
