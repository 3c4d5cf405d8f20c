internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonSystem

/// Makes previews of an image while its bytes arrive, once for all loads that share the transfer, or the reading of a
/// stream.
///
/// There is one loop a transfer: it takes the bytes that have come, decodes them on a worker, and makes a preview if the
/// state is worth one. Bytes that come meanwhile wait in the body, so that previews never overtake each other, and a slow
/// worker makes fewer of them. The image itself waits for none of this, except where it is made here as well.
///
/// That is where it is known to be the same: the decoder that has read a progressive JPEG or a WebP as it arrived reads
/// what is left and makes the image; see ``IncrementalReading/matchesWholeDecoding``. Others are decoded from the whole
/// file. Only that verifies the checksums of a PNG, takes the frames of a GIF into its header, and reduces a baseline
/// JPEG by the same arithmetic as without previews; libjxl shows its passes as it likes.
final class ProgressiveStage: Sendable {
    private let codecs: ImageCodecs
    private let workers: PixelWorkers
    private let clock: any Clock<Duration>
    /// Those that may make the image itself.
    let decoders: ProgressiveDecoders
    /// The loops under way.
    let work = WorkCoalescer<ProgressiveWorkKey, Bool>()

    init(
        codecs: ImageCodecs,
        workers: PixelWorkers,
        clock: any Clock<Duration>,
        decoders: ProgressiveDecoders
    ) {
        self.codecs = codecs
        self.workers = workers
        self.clock = clock
        self.decoders = decoders
    }

    /// Reports previews of a body until the transfer ends, or the calling task is cancelled. Equal requests share them;
    /// one that joins late gets the latest at once. Where the bytes may become the image itself, it returns only when the
    /// calling task is cancelled, and the decoder is at hand until then.
    ///
    /// - Parameter decoded: The decoding that makes the image itself; `nil` if it is not known. Of equal requests, that
    ///   of the first.
    func makePreviews(
        of body: BodyReport,
        for request: ImageRequest,
        decoded: DecodedWorkKey?,
        context: WorkContext
    ) async throws {
        let key = ProgressiveWorkKey(body, request.options)
        // Of a changed request the scope is not known; that of one transfer is nobody else's.
        let scope = decoded.map { $0.original.scope ?? "" } ?? "transfer \(body.number)"
        let isolated = request.options.codecs(or: codecs).isolated(request.options.decode.isolation, scope: scope)
        let codecs = request.source.codecs(over: isolated)
        let workers = request.options.workers ?? workers
        _ = try await work.value(for: key, context: context) { [clock, decoders] context in
            let decoding = ProgressiveDecoding(key, codecs: codecs, within: workers.budget.previews)
            let loop = ProgressiveLoop(
                decoding: decoding,
                policy: key.policy,
                workers: workers,
                clock: clock,
                context: context
            )
            if let decoded { decoders.add(decoding, for: decoded) }
            defer { if let decoded { decoders.remove(decoding, for: decoded) } }
            try await loop.run(body)
            if decoded != nil, decoding.isAtHand { await untilCancelled() }
            return true
        }
    }
}

/// Returns once the calling task is cancelled.
private func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}

/// The loop of one transfer.
private struct ProgressiveLoop: Sendable {
    let decoding: ProgressiveDecoding
    let policy: ProgressivePolicy
    let workers: PixelWorkers
    let clock: any Clock<Duration>
    let context: WorkContext

    func run(_ body: BodyReport) async throws {
        var cadence = ProgressiveCadence(minimumInterval: policy.minimumInterval)
        var byteCount = 0
        while let bytes = await body.body.bytes(from: byteCount) {
            byteCount += bytes.count
            var hasMore = true
            var newBytes: Data? = bytes
            while hasMore {
                let step = try await workers.run(priority: context.priority, isContinuation: false) {
                    [decoding, newBytes] flag in
                    try decoding.working {
                        if let newBytes { try decoding.append(newBytes) }
                        return try decoding.advance(isCancelled: { flag.isCancelled })
                    }
                }
                newBytes = nil
                hasMore = step.hasMore
                if policy.mode == .embeddedThumbnail {
                    guard step.hasHeader else { continue }
                    return try await report(nil, byteCount, body)
                }
                if cadence.accepts(step.progress) {
                    try await report(step.progress, byteCount, body)
                    try await cadence.wait(clock)
                }
                guard step.progress.isComplete else { continue }
                // The image itself follows, unless there are more bytes, as those of other frames. Previews before may
                // have been turned otherwise, as the orientation can come last.
                guard await body.body.hasBytes(from: byteCount) else { return }
                return try await report(step.progress, byteCount, body)
            }
        }
    }

    /// Makes a preview, and hands it out.
    private func report(_ progress: IncrementalProgress?, _ byteCount: Int, _ body: BodyReport) async throws {
        let decoded = try await workers.run(priority: context.priority, isContinuation: false) { [decoding] flag in
            try decoding.working {
                try decoding.image(isThumbnail: progress == nil, isCancelled: { flag.isCancelled })
            }
        }
        guard var image = decoded else { return }
        if decoding.changesImages {
            let budget = workers.budget.images
            let finished = try await workers.run(priority: context.priority, isContinuation: false) {
                [decoding, image] flag in
                try decoding.finished(image, at: progress, within: budget, isCancelled: { flag.isCancelled })
            }
            // The image itself would wait behind a preview that waits for memory.
            guard let finished else { return }
            image = finished
        }
        try Task.checkCancellation()
        let response = ImageResponse(image: image, source: body.provenance, byteCount: byteCount)
        context.report(
            .preview(ProgressivePreview(number: WorkNumber.next(), response: response, progress: progress))
        )
    }
}
