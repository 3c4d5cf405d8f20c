internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Finds an image in memory or as a result on disk, or makes and stores it.
final class ImageStage: Sendable {
    private typealias Made = CachingStage<DecodedForm>.Made

    private let caching: CachingStage<DecodedForm>
    private let processing: ProcessingStage
    private let original: OriginalStage

    init(
        memory: MemoryStage,
        results: ResultStorage<DecodedForm>,
        processing: ProcessingStage,
        original: OriginalStage
    ) {
        caching = CachingStage(memory: memory, storage: results, kind: .image)
        self.processing = processing
        self.original = original
    }

    /// The loads under way.
    var work: WorkCoalescer<ImageWorkKey, ImageResponse> { caching.work }

    /// Returns the image of a request; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        try await caching.result(for: request, context: context) { [processing] request, context in
            Made(try await processing.response(for: request, context: context), for: request)
        } complete: { [original] response, request, context in
            try await response.withOriginalData(of: request, from: original, context: context)
        }
    }

    /// Returns the image of a request from memory, from disk, or of bytes on this machine, if no server and no provider
    /// has to be asked for it; `nil` otherwise. Shares no work with others.
    ///
    /// - Throws: ``ImageError`` for an original that cannot be decoded or processed; `CancellationError`.
    func availableResponse(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse? {
        let response = try await caching.availableResult(for: request, context: context) { [self] in
            try await madeOfAvailable($0, context: $1)
        }
        return try await response?.withOriginalData(of: request, from: original, context: context)
    }

    /// Makes the image of an original that is at hand; returns `nil` if there is none.
    private func madeOfAvailable(_ request: ResolvedRequest, context: WorkContext) async throws -> Made? {
        // The entry on disk may turn out to be damaged; the bytes that are on this machine in another way come after it.
        var mayLookAgain = DecodedWorkKey(request).removesDamage
        while let found = try await original.availableOriginal(for: request, context: context) {
            do {
                let made = try await processing.response(for: request, from: found, context: context)
                return Made(made, for: request)
            } catch let error as ImageError where found.source == .disk && error.isDamage && mayLookAgain {
                // The entry has been removed.
                mayLookAgain = false
            }
        }
        return nil
    }
}

extension CachingStage<DecodedForm>.Made {
    /// An image that was made of an original.
    fileprivate init(_ made: (response: ImageResponse, original: Original), for request: ResolvedRequest) {
        self.init(
            result: made.response,
            caching: made.original.caching,
            claim: made.original.claim(of: request),
            original: (made.original, request)
        )
    }
}

extension ImageResponse {
    /// Returns the response with the encoded original, which is read if the options ask for it and the response does
    /// not have it.
    fileprivate func withOriginalData(
        of request: ResolvedRequest,
        from stage: OriginalStage,
        context: WorkContext
    ) async throws -> ImageResponse {
        guard request.options.delivery.includesOriginalData, data == nil else { return self }
        var response = self
        response.data = try await stage.storedData(for: request, context: context)
        return response
    }
}
