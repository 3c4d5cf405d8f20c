internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// The decoder of one transfer's bytes, and the processors of its previews. Once the transfer has ended, it may make the
/// image itself.
///
/// Unchecked: the decoder and the bytes are used by who has set ``use`` to something other than idle, and by nobody else.
final class ProgressiveDecoding: @unchecked Sendable {
    let decoder: IncrementalDecoder
    private let key: ProgressiveWorkKey
    private let memory: PreviewMemory
    let use = Lock(Use.idle(mayMakeImage: false))
    /// The bytes that the decoder has been given, as long as it may make the image itself: they tell whose image that is.
    private var pieces: [Data] = []

    /// - Parameter budget: The budget for what the decoder holds. Where it has no memory at hand, the decoder fails after the
    ///   header, and there are no previews.
    init(_ key: ProgressiveWorkKey, codecs: ImageCodecs, within budget: Budget) {
        self.key = key
        let memory = PreviewMemory(budget)
        self.memory = memory
        let keepsSixteenBits = key.decode.decodeOptions.keepsSixteenBits
        var options = key.decode.decodeOptions
        if options.color != key.color { options.convertColorsLater() }
        let target = key.processing.decodeTarget
        decoder = IncrementalDecoder(
            codecs: codecs,
            options: options,
            readsThumbnail: key.policy.mode == .embeddedThumbnail,
            targetSize: { info in
                // The image as far as it is decoded, and the coefficients of it or a preview.
                let depth: SampleDepth = keepsSixteenBits && info.bitDepth > 8 ? .sixteen : .eight
                try memory.take(info.size.bitmapByteCount(depth: depth).multipliedReportingOverflow(by: 2))
                return target.targetSize(for: info.displaySize)
            }
        )
    }

    /// A state of the image.
    struct Step: Sendable {
        let progress: IncrementalProgress
        let hasHeader: Bool
        /// A Boolean value that indicates whether there may be more to read of the bytes at hand.
        let hasMore: Bool
    }

    /// Reads up to the end of the next scan or pass, or of the bytes at hand; with ``ProgressivePolicy/Mode/latest``,
    /// all that is at hand.
    func advance(isCancelled: @Sendable () -> Bool) throws -> Step {
        var hasMore = true
        repeat {
            hasMore = try decoder.advance(isCancelled: isCancelled)
        } while hasMore && key.policy.mode == .latest
        return Step(progress: decoder.progress, hasHeader: decoder.hasHeader, hasMore: hasMore)
    }

    /// Adds bytes.
    func append(_ bytes: Data) throws {
        if key.policy.mode != .embeddedThumbnail, !decoder.hasHeader || decoder.matchesWholeDecoding {
            pieces.append(bytes)
        } else {
            pieces = []
        }
        try decoder.append(bytes)
    }

    /// A Boolean value that indicates whether the decoder can make the image itself, as far as that is known.
    var mayMakeImage: Bool { !pieces.isEmpty && decoder.matchesWholeDecoding }

    /// Returns whether a body begins with the bytes that the decoder has been given.
    func hasRead(beginningOf data: Data) -> Bool {
        var rest = data
        for piece in pieces {
            guard rest.prefix(piece.count) == piece else { return false }
            rest = rest.dropFirst(piece.count)
        }
        return true
    }

    /// Releases what has been read, once the image is made or not to be made of it: the load may go on for long.
    func close() {
        decoder.close()
        memory.giveBack()
        pieces = []
    }

    /// Returns the image as far as it has been read, or its thumbnail; `nil` if there is none.
    func image(isThumbnail: Bool, isCancelled: @Sendable () -> Bool) throws -> DecodedImage? {
        try isThumbnail ? decoder.embeddedThumbnail : decoder.image(isCancelled: isCancelled)
    }

    /// A Boolean value that indicates whether ``finished(_:at:within:isCancelled:)`` makes other images of those that
    /// it is given.
    var changesImages: Bool { !key.processing.isIdentity || key.policy.blursEarlyScans }

    /// Returns an image blurred, as far as the policy asks for it, and processed as the whole image is.
    ///
    /// - Parameters:
    ///   - progress: The state that the image shows; `nil` for a thumbnail.
    ///   - budget: The budget that each step takes its memory from.
    /// - Returns: `nil` if the budget does not have the memory of a step at hand.
    func finished(
        _ image: DecodedImage,
        at progress: IncrementalProgress?,
        within budget: Budget,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage? {
        /// Runs a step, whose largest bitmap has this size.
        func run(_ size: PixelSize, _ step: () throws -> DecodedImage) throws -> DecodedImage? {
            guard let lease = budget.leaseAtHand(size.bitmapByteCount(depth: image.bitmap.depth)) else { return nil }
            return try withExtendedLifetime(lease) { try step() }
        }
        var image = image
        let radius = key.policy.blursEarlyScans ? EarlyScanBlur.radius(for: image, at: progress) : 0
        if radius > 0 {
            let blurred = try run(image.size) {
                try EarlyScanBlur.blur(image, radius: radius, isCancelled: isCancelled)
            }
            guard let blurred else { return nil }
            image = blurred
        }
        for step in key.processing.steps {
            if isCancelled() { throw CancellationError() }
            let processed = try run(step.processor.workingSize(for: image)) {
                try step.processor.process(image, isCancelled: isCancelled)
                    .converted(key.decode.color, isCancelled: isCancelled)
            }
            guard let processed else { return nil }
            image = processed
        }
        return image
    }
}

/// The part of a budget that the decoder of one transfer takes once it has read the header.
private final class PreviewMemory: Sendable {
    private let budget: Budget
    private let lease = Lock<BudgetLease?>(nil)

    init(_ budget: Budget) {
        self.budget = budget
    }

    /// The budget has no memory at hand for a further decoder.
    struct NoMemory: Error {}

    /// Takes a part, unless it has been taken.
    ///
    /// - Throws: ``NoMemory`` if the budget does not have it at hand: others may hold theirs for as long as servers like.
    func take(_ amount: (partialValue: Int, overflow: Bool)) throws {
        guard lease.withLock({ $0 == nil }) else { return }
        guard let taken = budget.leaseAtHand(amount.overflow ? .max : amount.partialValue) else { throw NoMemory() }
        lease.withLock { $0 = taken }
    }

    func giveBack() {
        let lease = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        // Given back without the lock.
        withExtendedLifetime(lease) {}
    }
}

/// The identity of the previews of one transfer.
struct ProgressiveWorkKey: Hashable, Sendable {
    /// The number of the transfer.
    let body: UInt64
    let decode: DecodePolicy
    /// The colours that the decoder makes; see ``DecodedWorkKey/color``.
    let color: ColorHandling
    let processing: ImageProcessorChain
    let policy: ProgressivePolicy

    init(_ body: BodyReport, _ options: ImageOptions) {
        let options = options.forWork()
        self.body = body.number
        decode = options.decode
        processing = options.processing
        color = decode.decodedColor(for: processing)
        policy = options.progressive
    }
}

/// The decoders that have read an image while its bytes arrived, so that it need not be decoded a second time.
///
/// There is at most one for each decoding: that of the latest transfer. It is here until its transfer is of no more use
/// to any load.
final class ProgressiveDecoders: Sendable {
    private let decoders = Lock<[DecodedWorkKey: ProgressiveDecoding]>([:])

    init() {}

    /// The number of decoders.
    var count: Int { decoders.withLock { $0.count } }

    /// Offers a decoder for the image itself, in place of another one.
    func add(_ decoding: ProgressiveDecoding, for key: DecodedWorkKey) {
        let replaced = decoders.withLock { $0.updateValue(decoding, forKey: key) }
        // Released without the lock.
        withExtendedLifetime(replaced) {}
    }

    /// Removes a decoder, unless another one has taken its place.
    func remove(_ decoding: ProgressiveDecoding, for key: DecodedWorkKey) {
        let removed = decoders.withLock { decoders -> (key: DecodedWorkKey, value: ProgressiveDecoding)? in
            guard let index = decoders.index(forKey: key), decoders.values[index] === decoding else { return nil }
            return decoders.remove(at: index)
        }
        withExtendedLifetime(removed) {}
    }

    /// Takes the decoder that has read the beginning of a body, or all of it. It makes no more previews.
    ///
    /// Waits for the piece of work that the decoder is at: that has to be done also without previews, but for the making
    /// of one.
    ///
    /// - Returns: `nil` if there is none, or its image might not be the same as that of the whole body.
    func take(for key: DecodedWorkKey, of data: Data) async -> ProgressiveDecoding? {
        guard let decoding = decoders.withLock({ $0[key] }), await decoding.take(havingRead: data) else { return nil }
        return decoding
    }
}
