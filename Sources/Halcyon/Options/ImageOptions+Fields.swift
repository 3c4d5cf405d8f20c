internal import HalcyonConcurrency

extension ImageOptions {
    /// The values of all fields, those that are left open included.
    struct Fields: Sendable, Hashable {
        var processing: ImageProcessorChain = .identity
        var targetSize: TargetSize?
        var cache = CachePolicy()
        var network = NetworkPolicy()
        var decode = DecodePolicy()
        var recovery = RecoveryPolicy()
        var delivery = DeliveryPolicy()
        var priority: LoadPriority = .normal
        var workers: PixelWorkers?
        var previews: [Source] = []
        var progressive = ProgressivePolicy.none
        var interceptorHooks: [Hook<any LoadIntercepting>] = []
        var loaderHooks: [Hook<any SourceLoading>] = []
        var values = ImageOptionValues()

        var loadProcessing: ImageProcessorChain {
            targetSize.map { $0.processing |> processing } ?? processing
        }

        func isOrdinary(for processing: ImageProcessorChain) -> Bool {
            ImageKey.isPlain(decode, cache, network) && cache.reads.includesMemory && !cache.mayAskAnyway
                && cache.targetCache == nil && cache.memoryExtension == .originalLifetime && !isInexact
                && delivery.isOrdinary(for: processing) && values.identity == nil && !isIntercepted
        }

        /// A Boolean value that indicates whether interceptors or loaders are named.
        var isIntercepted: Bool { !interceptorHooks.isEmpty || !loaderHooks.isEmpty }

        /// A Boolean value that indicates whether a larger image in memory may answer.
        var isInexact: Bool { targetSize != nil && cache.precision == .inexact }
    }
}
