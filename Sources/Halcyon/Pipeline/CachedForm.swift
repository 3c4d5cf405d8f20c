internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// A form whose results caches keep: images, or encoded images.
protocol CachedForm: LoadForm where Result: CachedResult {
    /// The loads under way.
    var work: WorkCoalescer<ImageWorkKey, Result> { get }

    /// Makes a result for which the original is not needed, where the original is unavailable and no cache has a result
    /// that may be used; returns `nil` if that is not possible. Default: `nil`.
    func substitute(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> LoadOutput<Result>?

    /// Returns the result in the body of an entry.
    func result(
        in body: Data,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> Result

    /// Returns the body and the metadata of an entry; `nil` if the result has none: the entry that it was to replace is
    /// then removed.
    ///
    /// - Parameter original: The encoded original, for a serializer of the program; `nil` if it is not needed.
    func entry(
        of result: Result,
        from original: Data?,
        _ validity: OriginalValidity?,
        _ digest: ContentDigest?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)?

    /// Returns the number of bytes that wait in memory while a result is stored.
    func byteCount(of result: Result) -> Int
}

extension CachedForm {
    func substitute(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> LoadOutput<Result>? {
        nil
    }

    func share(
        _ request: ResolvedRequest,
        context: WorkContext,
        _ work: @escaping @Sendable (WorkContext) async throws -> Result
    ) async throws -> Result {
        try await self.work.value(for: ImageWorkKey(request), of: request, context: context, operation: work)
    }

    func remembered(for request: ResolvedRequest) -> Result? { parts.memory.result(for: request) }

    func record(_ time: Duration, _ substitution: SourceSubstitution?, in result: inout Result) {
        result.substitution = substitution
        result.timings.total = time
    }

    /// Returns a result on disk that may be used now, and stores it in memory.
    @inline(never)
    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> Result? {
        guard let found = try await foundResult(for: request, context: context) else { return nil }
        return remember(found, for: request)
    }

    /// Stores a result from disk in memory.
    private func remember(_ found: FoundResult<Result>, for request: ResolvedRequest) -> Result {
        let claim = found.claim(of: request)
        parts.memory.store(found.result, isExact: found.isExact, for: request, claim: claim, found.validity)
        return found.result
    }

    /// Returns what may be used where a result could not be made. An image that its server has no more is removed.
    ///
    /// Not inlined, as ``store(_:for:_:)``: a load keeps the frame of the call that waits for its result, which had
    /// 10 kB with these.
    @inline(never)
    func fallback(for request: ResolvedRequest, after error: ImageError, context: WorkContext) async throws -> Result {
        await forget(request, ifObsolete: error)
        if let stale = try await staleResult(for: request, insteadOf: error, context: context) {
            return remember(stale, for: request)
        }
        guard let other = try await substitute(for: request, insteadOf: error, context: context) else { throw error }
        return await store(other, for: request, context)
    }
}

/// The result of a load in a form that caches keep: an image, or its encoded bytes.
protocol CachedResult: Sendable {
    /// The result as memory keeps it.
    var content: CachedImage.Content { get }
    /// The number of bytes of the encoded original.
    var originalByteCount: Int { get }
    /// The duration of each stage.
    var timings: ImageTimings { get set }
    /// The substitution, if the image came from another source than the requested one.
    var substitution: SourceSubstitution? { get set }

    /// Creates a result from memory; `nil` if memory has the other form.
    init?(_ cached: CachedImage)
}

extension ImageResponse: CachedResult {
    var content: CachedImage.Content { .image(image) }
    var originalByteCount: Int { byteCount }

    @inline(__always)
    init?(_ cached: CachedImage) {
        guard case .image(let image) = cached.content else { return nil }
        self.init(image: image, source: .memory, byteCount: cached.byteCount)
    }
}
