internal import HalcyonCodecs
internal import HalcyonSystem

extension PixelWorkers {
    /// Makes something other than an image from an image on a worker.
    ///
    /// - Parameters:
    ///   - lease: The part of the budget that the image's pixels take; `nil` if they take none, as those of a cache: the
    ///     work then takes as much as the image.
    ///   - place: The number of processors that have run on the image.
    /// - Throws: The error of `body`, or `CancellationError`.
    func withPixels<Result: Sendable>(
        of image: DecodedImage,
        lease: PixelLease?,
        place: Int,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        guard let lease else { return try await withPixels(of: image, priority: priority, body) }
        guard let successor = lease.successor() else {
            // Another encoding has the place of the image, which is held meanwhile, so this one takes its own from
            // another budget.
            defer { withExtendedLifetime(lease) {} }
            return try await run(
                priority: priority,
                within: budget.results(at: place),
                holding: lease,
                isContinuation: true
            ) {
                Demand(byteCount: image.bitmap.byteCount) { flag in try body(image, flag) }
            }.result
        }
        defer { withExtendedLifetime(successor) {} }
        return try await run(priority: priority, isContinuation: true) { flag in try body(image, flag) }
    }
}
