internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonStore
internal import HalcyonSystem

/// The threads that read headers, decode, process and encode, and the budget for the pixels of that work.
///
/// A pipeline has its own, unless its configuration names some that it shares with other pipelines, or a request names
/// some (``ImageOption/workers(_:)``). Work of higher priority runs first, whichever pipeline it is from.
public final class PixelWorkers: Sendable {
    /// The workers of caches that are used without a pipeline: one thread a processor, a quarter of the memory as
    /// budget.
    static let shared = PixelWorkers()

    private let queue: WorkQueue
    let budget: PixelBudget

    /// Workers of their own.
    ///
    /// - Parameters:
    ///   - threadCount: The number of images that are decoded, processed or encoded at the same time; at least 1.
    ///     Default: `nil`, the number of processors that this process may use.
    ///   - byteBudget: The largest number of bytes of pixels that are being decoded, or wait to be processed, at the
    ///     same time; see ``ImagePipeline/Configuration/decodeBudget``. Default: `nil`, a quarter of the memory that
    ///     this process may use.
    public init(threadCount: Int? = nil, byteBudget: Int? = nil) {
        queue = WorkQueue(name: "halcyon.pixels", width: max(1, threadCount ?? ProcessorCount.available))
        budget = PixelBudget(limit: byteBudget ?? SystemMemory().available / 4)
    }

    /// The number of pieces of work that wait for the budget.
    var budgetWaiterCount: Int { budget.waitingCount }

    /// The number of pieces of work that wait for a thread.
    var waitingCount: Int { queue.waitingCount }

    /// The most bytes of a file whose header may be read where the caller runs: longer ones may be mapped.
    private static let inlineHeaderLimit = 1 << 20

    /// Reads a header: on a worker, as some formats have libraries that parse the whole file for it; those of JPEG and PNG
    /// where the caller runs, as going to a worker and back takes several times as long as reading them.
    func info(
        of data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        priority: PriorityBox
    ) async throws -> ImageInfo {
        if data.count <= Self.inlineHeaderLimit {
            try Task.checkCancellation()
            let decoder = try codecs.decoder(for: data, hint: options.typeHint)
            if decoder is JPEGDecoder || decoder is PNGDecoder {
                return try decoder.info(of: data, limits: options.limits)
            }
        }
        return try await queue.run(priority: priority) { _ in
            try codecs.info(of: data, limits: options.limits, hint: options.typeHint)
        }
    }

    /// Returns whether an original that no load shows may be stored. The header of an image, which no error page has, is
    /// enough where its response stated the number of its bytes. Otherwise it may have been cut short, and is decoded; so
    /// is one that takes the place of another, which can be shown.
    func isWhole(
        _ original: Original,
        of request: ResolvedRequest,
        over codecs: ImageCodecs,
        _ priority: PriorityBox
    ) async throws -> Bool {
        let workers = request.options.workers ?? self
        let (codecs, options) = (request.codecs(over: codecs), request.options.decode.decodeOptions)
        guard !original.statesLength || original.caching.replaced != nil else {
            _ = try await workers.info(of: original.data, codecs: codecs, options: options, priority: priority)
            return true
        }
        let image = try await workers.decode(original.data, codecs: codecs, options: options, priority: priority)
        return original.statesLength || !image.isPartial
    }

    /// Runs work on a worker that needs no part of the budget, or has it.
    func run<Result: Sendable>(
        priority: PriorityBox,
        isContinuation: Bool,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await queue.run(priority: priority, isContinuation: isContinuation, body)
    }

    /// Makes something other than an image from an image on a worker. It is assumed to need as much memory as the
    /// image.
    func withPixels<Result: Sendable>(
        of image: DecodedImage,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(priority: priority, within: budget.images, holding: nil) {
            Demand(byteCount: image.bitmap.byteCount) { flag in try body(image, flag) }
        }.result
    }

    /// Makes one image from another on a worker.
    ///
    /// - Parameters:
    ///   - lease: The part of the budget that the image's pixels take; empty for those of a cache.
    ///   - size: The size of the largest bitmap that is made.
    ///   - place: The number of processors that come before in the chain.
    /// - Returns: The image, the part of the budget that its pixels take, and the processor time that it took.
    func process(
        _ image: DecodedImage,
        lease: PixelLease,
        size: PixelSize,
        place: Int,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> DecodedImage
    ) async throws -> (image: DecodedImage, lease: PixelLease, processorTime: Duration) {
        let need = size.bitmapByteCount(depth: image.bitmap.depth)
        let successor = lease.successor()
        let atHand = successor?.amount ?? 0
        // A result that is no larger takes the image's place in the budget.
        if let successor, need <= atHand {
            let result = try await queue.run(priority: priority, isContinuation: place > 0) { flag in
                try Timed { try body(image, flag) }
            }
            return (result.value, successor, result.processorTime)
        }
        let (result, own) = try await run(
            priority: priority,
            within: budget.results(at: place),
            holding: lease,
            isContinuation: place > 0
        ) {
            Demand(byteCount: need - atHand) { flag in try Timed { try body(image, flag) } }
        }
        own.reduce(to: result.value.bitmap.byteCount - atHand)
        return (result.value, PixelLease((successor?.leases ?? []) + [own]), result.processorTime)
    }

    /// Work that needs a part of the budget.
    struct Demand<Result: Sendable>: Sendable {
        let byteCount: Int
        let body: @Sendable (CancellationFlag) throws -> Result
    }

    private enum Attempt<Result: Sendable>: Sendable {
        case done(Result, BudgetLease)
        case mustWait(Demand<Result>)
    }

    /// Determines on a worker the part of the budget that the work needs, and continues there if the budget has it;
    /// otherwise continues on a worker once the budget has it. So no thread waits for the budget.
    ///
    /// - Parameter held: What the caller holds of the budgets meanwhile; `nil` if it holds nothing.
    func run<Result: Sendable>(
        priority: PriorityBox,
        within budget: Budget,
        holding held: PixelLease?,
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
            let lease = try await budget.lease(demand.byteCount, holding: held?.leases ?? [], priority: priority)
            // The work has its part of the budget, for which other work waits.
            return (try await queue.run(priority: priority, isContinuation: true, demand.body), lease)
        }
    }
}

/// A value, with the processor time that the calling thread took to make it.
struct Timed<Value: Sendable>: Sendable {
    let value: Value
    let processorTime: Duration

    init(_ make: () throws -> Value) rethrows {
        let start = Self.processorTime
        value = try make()
        processorTime = Self.processorTime - start
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension PixelWorkers: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: PixelWorkers, right: PixelWorkers) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
