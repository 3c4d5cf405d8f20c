public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonHTTP

/// An image, and how it was come by.
public struct ImageResponse: Sendable {
    /// What supplied the image.
    public enum Source: String, Sendable, Hashable {
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
    public var source: Source
    /// The size of the encoded original.
    public var byteCount: Int

    private var details: Details?

    /// What an image from memory has nothing of, behind one reference: else copying it would take most of a hit.
    private final class Details: Sendable {
        let fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
        }
    }

    private struct Fields: Sendable {
        var data: Data?
        var timings = ImageTimings()
        var metrics: TransferMetrics?
        var substitution: SourceSubstitution?
    }

    private var fields: Fields {
        get { details?.fields ?? Fields() }
        set { details = Details(newValue) }
    }

    init(image: DecodedImage, source: Source, byteCount: Int) {
        self.image = image
        self.source = source
        self.byteCount = byteCount
    }

    init(
        image: DecodedImage,
        source: Source,
        byteCount: Int,
        data: Data? = nil,
        timings: ImageTimings,
        metrics: TransferMetrics? = nil
    ) {
        self.init(image: image, source: source, byteCount: byteCount)
        fields = Fields(data: data, timings: timings, metrics: metrics)
    }
}

extension ImageResponse {
    /// The encoded original, where this load had it in hand: not for an image from memory or a processed one from disk.
    public var data: Data? {
        get { details?.fields.data }
        set { fields.data = newValue }
    }

    /// How long each stage took.
    public var timings: ImageTimings {
        get { details?.fields.timings ?? ImageTimings() }
        set { fields.timings = newValue }
    }

    /// What the transfer took; `nil` unless ``source`` is ``Source/network``.
    public var metrics: TransferMetrics? {
        get { details?.fields.metrics }
        set { fields.metrics = newValue }
    }

    /// Says so if the image came from another source than the one that was asked for, as
    /// ``RecoveryPolicy/alternatives`` or ``RecoveryPolicy/lowDataSource`` allow; else `nil`.
    public var substitution: SourceSubstitution? {
        get { details?.fields.substitution }
        set { fields.substitution = newValue }
    }
}

/// How long each stage of a load took. Stages that did not run are `nil`; work shared with other loads counts for each.
public struct ImageTimings: Sendable, Hashable {
    /// From the call to the result.
    public var total: Duration = .zero
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
