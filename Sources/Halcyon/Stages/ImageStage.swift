internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Finds an image in memory or as a result on disk, or makes and stores it.
final class ImageStage: Sendable {
    private let caching: CachingStage<DecodedForm>
    private let processing: ProcessingStage

    init(memory: MemoryStage, results: ResultStorage<DecodedForm>, processing: ProcessingStage) {
        caching = CachingStage(memory: memory, storage: results)
        self.processing = processing
    }

    /// The loads under way.
    var work: WorkCoalescer<ImageWorkKey, ImageResponse> { caching.work }

    /// Returns the image of a request; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        try await caching.result(for: request, context: context) { [processing] request, context in
            let (response, original) = try await processing.response(for: request, context: context)
            return CachingStage<DecodedForm>.Made(
                result: response,
                caching: original.caching,
                claim: original.claim(of: request.permits),
                original: (original, request)
            )
        }
    }
}
