internal import FoundationEssentials
internal import HalcyonSystem

/// A request of a prefetcher.
struct PrefetchItem: Sendable {
    /// The request as it was given.
    let request: ImageRequest
    /// The request with the options of the pipeline.
    let completed: ImageRequest

    init(_ request: ImageRequest, in pipeline: ImagePipeline, after earlier: PrefetchItem? = nil) {
        self.request = request
        if let earlier, case .changes = request.givenOptions, earlier.request.givenOptions == request.givenOptions {
            completed = ImageRequest(request.source, earlier.completed.givenOptions)
        } else {
            completed = pipeline.completed(request)
        }
    }

    /// The parts of a request that count where duplicates are looked for.
    struct Identity: Hashable, Sendable {
        private let sourceHash: Int
        /// `nil` in a window of many, which keeps no sources: two of the same hash are taken for one there.
        private let source: Source?
        /// Most requests share them.
        private let options: ImageOptions

        fileprivate init(_ request: ImageRequest, keepsSource: Bool) {
            var hasher = Hasher()
            hasher.combine(request.source)
            sourceHash = hasher.finalize()
            source = keepsSource ? request.source : nil
            options = request.options.ofPrefetching
        }

        /// Hashes the source alone: requests for one source rarely differ in their options, whose hash takes a
        /// microsecond.
        func hash(into hasher: inout Hasher) {
            hasher.combine(sourceHash)
        }
    }

    var identity: Identity { Identity(completed, keepsSource: true) }

    /// The identity in a window of many; `nil` if requests of the source are not compared there.
    var compactIdentity: Identity? {
        // The hash of bytes is that of the first of them.
        switch completed.source.location {
        case .network(let transfer) where transfer.body != nil: nil
        case .data: nil
        case .network, .file, .thumbnail, .videoFile, .provider, .inline, .invalid:
            Identity(completed, keepsSource: false)
        }
    }
}

extension ImageOptions {
    /// The options that determine what is prefetched. Changed only where that makes a difference, so that requests go on
    /// to share them.
    fileprivate var ofPrefetching: ImageOptions {
        var options = self
        if options.priority != .normal { options.priority = .normal }
        let delivery = options.delivery.ofPrefetching
        if options.delivery != delivery { options.delivery = delivery }
        // Not loaded by a prefetcher, and not to be kept for as long as the identity: they may hold bytes.
        if !options.previews.isEmpty { options.previews = [] }
        if options.progressive.isActive { options.progressive = .none }
        return options
    }
}

extension DeliveryPolicy {
    /// The part of the policy that determines what is loaded: lengths in points depend on the scale, and nothing is
    /// delivered.
    fileprivate var ofPrefetching: DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.scale = scale
        return policy
    }
}
