internal import HalcyonCodecs
internal import HalcyonHTTP

/// Pixels of a load: those of an original, of an image in a cache, or the result of processors so far.
struct LoadedPixels: Sendable {
    let image: DecodedImage
    /// The part of a budget that the pixels take until they are handed out; `nil` for those of a cache. Nothing that holds
    /// it waits for that budget.
    let lease: PixelLease?
    let provenance: Provenance
    /// The time spent decoding; `nil` for an image of a cache.
    var decodeTime: Duration?
    /// The time spent in processors; `nil` if none has run.
    var processTime: Duration?
    /// The processor time of decoding, and of processors so far.
    var processorTime = Duration.zero

    /// Where pixels came from. Indirect, as calls that wait keep it in their frames.
    enum Provenance: Sendable {
        case original(Original)
        indirect case memory(CachedImage)
        /// A result on disk.
        indirect case disk(FoundResult<ImageResponse>)
    }
}

extension LoadedPixels {
    /// The pixels of an image in memory; `nil` for an encoded one.
    init?(_ cached: CachedImage) {
        guard let image = cached.image else { return nil }
        self.init(image: image, lease: nil, provenance: .memory(cached))
    }

    /// The pixels of a result on disk.
    init(_ found: FoundResult<ImageResponse>) {
        self.init(image: found.result.image, lease: nil, provenance: .disk(found))
    }

    /// The original, if the load has it.
    var original: Original? { if case .original(let original) = provenance { original } else { nil } }

    var source: ImageResponse.Source {
        switch provenance {
        case .original(let original): original.source
        case .memory: .memory
        case .disk: .disk
        }
    }

    /// The number of bytes of the encoded original.
    var originalByteCount: Int {
        switch provenance {
        case .original(let original): original.data.count
        case .memory(let cached): cached.byteCount
        case .disk(let found): found.result.byteCount
        }
    }

    /// The duration of each stage.
    var timings: ImageTimings {
        var timings =
            switch provenance {
            case .original(let original): original.timings
            case .memory: ImageTimings()
            case .disk(let found): found.result.timings
            }
        if let decodeTime { timings.decode = decodeTime }
        timings.process = processTime
        timings.processorTime = processorTime
        return timings
    }

    /// Returns the effect on the caches of what is made of the pixels.
    func caching(for request: ResolvedRequest) -> OriginalCaching {
        switch provenance {
        case .original(let original): original.caching
        case .memory(let cached): OriginalCaching(validity: cached.validity(for: request))
        case .disk(let found): OriginalCaching(validity: found.validity)
        }
    }

    /// Returns the claim of a load to store what it makes of the pixels.
    func claim(of request: ResolvedRequest) -> ContentClaim {
        switch provenance {
        case .original(let original):
            original.claim(of: request)
        case .memory(let cached):
            ContentClaim(
                registrations: request.registrations,
                digest: cached.digest,
                representation: cached.representation,
                isFromMemory: true
            )
        case .disk(let found):
            found.claim(of: request)
        }
    }
}

extension CachedImage {
    /// Returns the time and the requests for which the image may be used; `nil` if no server decides about it. An image
    /// about which its server stated nothing has the default lifetime.
    fileprivate func validity(for request: ResolvedRequest) -> OriginalValidity? {
        if let validity { return validity }
        guard let receivedDate else { return nil }
        return request.transfer?.headWithoutStatements(receivedAt: receivedDate).map(OriginalValidity.init)
    }
}

extension OriginalCaching {
    /// Creates the effect of an image that a cache has.
    fileprivate init(validity: OriginalValidity?) {
        self.init()
        self.validity = validity
    }
}
