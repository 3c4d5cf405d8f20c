internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster
internal import HalcyonStore

/// The threads that read headers, decode, process and encode, and the budget for the pixels they have in the making.
final class PixelWorkers: Sendable {
    /// The workers of caches that are used without a pipeline: one thread a processor, a quarter of the memory.
    static let shared = PixelWorkers(count: ProcessorCount.available, budget: SystemMemory().available / 4)

    private let queue: WorkQueue
    /// The budget for pixels in the making, and for those that wait to be processed, in bytes.
    private let budget: Budget
    /// The budgets for the bytes that processing takes beyond those of its image, by the place of the processor in its
    /// chain: work that holds a part of a budget must not wait for more of it, and an image that waits to be processed
    /// holds a part of an earlier one.
    private let results: Lock<[Budget]>

    init(count: Int, budget: Int) {
        queue = WorkQueue(name: "halcyon.pixels", width: max(1, count))
        self.budget = Budget(limit: max(1, budget))
        results = Lock([])
    }

    /// The number of pieces of work that wait for the budget.
    var budgetWaiterCount: Int {
        budget.waitingCount + results.withLock { $0 }.reduce(0) { $0 + $1.waitingCount }
    }

    /// Returns the budget for the results of the processors at a place in their chains.
    private func budget(ofResultsAt place: Int) -> Budget {
        results.withLock { results in
            while results.count <= place { results.append(Budget(limit: budget.limit)) }
            return results[place]
        }
    }

    /// The number of pieces of work that wait for a thread.
    var waitingCount: Int { queue.waitingCount }

    /// Reads a header on a worker: some formats have libraries that parse the whole file for it.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func info(of data: Data, codecs: ImageCodecs, limits: DecodeLimits, priority: PriorityBox) async throws -> ImageInfo
    {
        try await queue.run(priority: priority) { _ in try codecs.info(of: data, limits: limits) }
    }

    /// Decodes an image on a worker that is returned to the caller at once.
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
    /// - Returns: The image, and the part of the budget that its pixels take until they are processed or returned.
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        target: DecodeTarget,
        priority: PriorityBox
    ) async throws -> (image: DecodedImage, lease: PixelLease) {
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
        return (image, PixelLease(lease))
    }

    /// Returns the largest size that a decoder may have to make: a drawing is made as large as it takes to cover a
    /// target.
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

    /// Runs a function of an image on a worker. It is taken to need as much memory as the image.
    ///
    /// - Throws: The error of `body`, or `CancellationError`.
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
    ///   - lease: The part of the budget that the image's pixels take.
    ///   - size: The size of the largest bitmap that is made.
    ///   - place: The number of processors of the chain that come before.
    /// - Returns: The image, and the part of the budget that its pixels take.
    /// - Throws: The error of `body`, or `CancellationError`.
    func process(
        _ image: DecodedImage,
        lease: PixelLease,
        size: PixelSize,
        place: Int,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> DecodedImage
    ) async throws -> (image: DecodedImage, lease: PixelLease) {
        let need = Self.byteCount(size, image.bitmap.depth)
        let successor = lease.successor()
        let atHand = successor?.amount ?? 0
        // A result that is no larger takes over the image's part of the budget.
        if let successor, need <= atHand {
            let result = try await queue.run(priority: priority, isContinuation: place > 0) { flag in
                try body(image, flag)
            }
            return (result, successor)
        }
        let (result, own) = try await run(
            priority: priority,
            within: budget(ofResultsAt: place),
            isContinuation: place > 0
        ) {
            Demand(byteCount: need - atHand) { flag in try body(image, flag) }
        }
        if let successor { return (result, successor) }
        own.reduce(to: result.bitmap.byteCount)
        return (result, PixelLease(own))
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

    /// Determines on a worker what the work needs, and goes on there if the budget has that; else it continues on a
    /// worker once the budget has it. So no thread waits for the budget.
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
            // It holds its part of the budget, which others wait for.
            return (try await queue.run(priority: priority, isContinuation: true, demand.body), lease)
        }
    }
}
