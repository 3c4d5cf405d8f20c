public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonHTTP

/// An image, and how it was come by.
public struct ImageResponse: Sendable {
    /// What supplied the image.
    public enum Origin: String, Sendable, Hashable {
        /// The memory cache.
        case memory
        /// The disk cache.
        case disk
        /// A server.
        case network
        /// A local file.
        case file
        /// Bytes at hand: given directly, in a `data:` URL, or by a provider.
        case data
    }

    /// The image, decoded and processed.
    public var image: DecodedImage
    /// What supplied it.
    public var origin: Origin
    /// The size of the encoded original.
    public var byteCount: Int
    /// The encoded original, where this load had it in hand: not for an image from memory or a processed one from disk.
    public var data: Data?
    /// How long each stage took.
    public var timings: ImageTimings
    /// What the transfer took; `nil` unless ``origin`` is ``Origin/network``.
    public var metrics: TransferMetrics?
    /// Says so if the image came from another source than the one that was asked for, as
    /// ``RecoveryPolicy/alternatives`` or ``RecoveryPolicy/lowDataSource`` allow; else `nil`.
    public var substitution: SourceSubstitution?

    init(
        image: DecodedImage,
        origin: Origin,
        byteCount: Int,
        data: Data? = nil,
        timings: ImageTimings = ImageTimings(),
        metrics: TransferMetrics? = nil
    ) {
        self.image = image
        self.origin = origin
        self.byteCount = byteCount
        self.data = data
        self.timings = timings
        self.metrics = metrics
    }
}

/// How long each stage of a load took. Stages that did not run are `nil`; work shared with other loads counts for each.
public struct ImageTimings: Sendable, Hashable {
    /// From the call to the result.
    public var total: Duration = .zero
    /// Looking into the memory cache.
    public var memory: Duration?
    /// Reading from the disk cache.
    public var disk: Duration?
    /// Getting the bytes from the network, a file or a provider.
    public var load: Duration?
    /// Decoding, waiting for a worker included.
    public var decode: Duration?
    /// Processing, waiting for a worker included.
    public var process: Duration?
    /// Encoding for the disk and writing, if the load waited for it.
    public var store: Duration?

    /// Nothing measured yet.
    public init() {}
}

/// How far a load has come.
public struct ImageProgress: Sendable, Hashable {
    /// Bytes received, after their content coding was undone.
    public var receivedBytes: Int
    /// Bytes there will be, where the server says.
    public var expectedBytes: Int?

    /// From 0 to 1, where the size is known.
    public var fraction: Double? {
        guard let expectedBytes, expectedBytes > 0 else { return nil }
        return min(1, Double(receivedBytes) / Double(expectedBytes))
    }

    /// A state of progress. Default: nothing received of an unknown size.
    public init(receivedBytes: Int = 0, expectedBytes: Int? = nil) {
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
    }
}
