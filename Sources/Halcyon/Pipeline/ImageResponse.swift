public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonHTTP

/// An image and its provenance.
public struct ImageResponse: Sendable {
    /// The place that an image came from.
    public enum Source: String, Sendable, Hashable {
        /// The memory cache.
        case memory
        /// The disk cache.
        case disk
        /// A server.
        case network
        /// A local file.
        case file
        /// Bytes in memory: given directly, in a `data:` URL, or by a provider.
        case data
    }

    /// The image, decoded and processed.
    public var image: DecodedImage
    /// The place that the image came from.
    public var source: Source
    /// The number of bytes of the encoded original.
    public var byteCount: Int

    private var details: Details?

    /// The fields that an image from memory does not have, behind one reference: otherwise copying them would take most
    /// of the time of a hit.
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
        var head: TransferResponse?
        var originalDigest: ContentDigest?
    }

    private var fields: Fields {
        get { details?.fields ?? Fields() }
        set { details = Details(newValue) }
    }

    /// A response of the program's own, as the answer of a ``LoadIntercepting``.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - source: The place that it came from. Default: ``Source/data``.
    ///   - byteCount: The number of bytes of the encoded original. Default: 0.
    public init(image: DecodedImage, source: Source = .data, byteCount: Int = 0) {
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
        metrics: TransferMetrics? = nil,
        head: TransferResponse? = nil,
        originalDigest: ContentDigest? = nil
    ) {
        self.init(image: image, source: source, byteCount: byteCount)
        fields = Fields(
            data: data,
            timings: timings,
            metrics: metrics,
            head: head,
            originalDigest: originalDigest
        )
    }
}

extension ImageResponse {
    /// The encoded original, if the options ask for it (``ImageOption/includesOriginalData``); `nil` otherwise, and
    /// where it is neither at hand nor on disk.
    public var data: Data? {
        get { details?.fields.data }
        set { fields.data = newValue }
    }

    /// The head of the server's response: status, fields and final URL. `nil` for an image from memory, and from
    /// another source than a server.
    ///
    /// That of an image from the network is as received. Of an original on disk it has the fields that a cache may
    /// store, and its `Age`; of a result of processors, those that decide for how long it may be used.
    public var head: TransferResponse? {
        get { details?.fields.head }
        set { fields.head = newValue }
    }

    /// The digest of the original of an image from a cache, with which ``data`` is compared; `nil` where that is not read,
    /// or it is not known.
    var originalDigest: ContentDigest? {
        get { details?.fields.originalDigest }
        set { fields.originalDigest = newValue }
    }

    /// The URL that the image came from, after all redirects; `nil` where there is no ``head``.
    public var url: URL? { head?.url }

    /// The duration of each stage.
    public var timings: ImageTimings {
        get { details?.fields.timings ?? ImageTimings() }
        set { fields.timings = newValue }
    }

    /// The times and sizes of the transfer; `nil` unless ``source`` is ``Source/network``.
    public var metrics: TransferMetrics? {
        get { details?.fields.metrics }
        set { fields.metrics = newValue }
    }

    /// The substitution, if the image came from another source than the requested one, as
    /// ``RecoveryPolicy/alternatives`` or ``RecoveryPolicy/lowDataSource`` allow; else `nil`.
    public var substitution: SourceSubstitution? {
        get { details?.fields.substitution }
        set { fields.substitution = newValue }
    }
}

/// The duration of each stage of a load. Stages that did not run are `nil`; shared work counts for each of the loads
/// that share it.
public struct ImageTimings: Sendable, Hashable {
    /// From the call to the result. Default: zero.
    public var total: Duration = .zero
    /// Reading from the disk cache.
    public var disk: Duration?
    /// Reading the bytes from the network, a file or a provider.
    public var load: Duration?
    /// Decoding, waiting for a worker included.
    public var decode: Duration?
    /// Processing, waiting for a worker included.
    public var process: Duration?
    /// Encoding, waiting for a worker included, where encoded bytes are asked for.
    public var encode: Duration?
    /// Encoding for the disk and writing, if the load waited for it.
    public var store: Duration?
    /// The processor time of decoding and processing, where they ran.
    var processorTime = Duration.zero

    /// Timings without a measurement.
    public init() {}
}

/// The progress of a load.
public struct ImageProgress: Sendable, Hashable {
    /// The number of bytes received, after their content coding was undone.
    public var receivedBytes: Int
    /// The expected number of bytes, where the server states it.
    public var expectedBytes: Int?

    /// The received part of the bytes, from 0 to 1, where their number is known.
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

/// The record that an image came from another source than the requested one.
public final class SourceSubstitution: Sendable, Hashable {
    /// The requested source.
    public let requested: Source
    /// The source that the image came from.
    public let used: Source
    /// The sources that were tried before, in their order, each with its error.
    public let failures: [SourceFailure]

    init(requested: Source, used: Source, failures: [SourceFailure]) {
        self.requested = requested
        self.used = used
        self.failures = failures
    }

    /// Returns whether both have the same sources and failures.
    public static func == (left: SourceSubstitution, right: SourceSubstitution) -> Bool {
        left.requested == right.requested && left.used == right.used && left.failures == right.failures
    }

    /// Hashes the sources and failures.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(requested)
        hasher.combine(used)
        hasher.combine(failures)
    }
}

extension SourceSubstitution: CustomStringConvertible {
    /// The source used and the source it replaced.
    public var description: String {
        "\(used.description.withoutPassword) in place of \(requested.description.withoutPassword)"
    }
}

/// A source that could not be loaded, and the error.
public struct SourceFailure: Sendable, Hashable {
    /// The source.
    public let source: Source
    /// The error of its load.
    public let error: ImageError

    /// The failure of a source.
    public init(source: Source, error: ImageError) {
        self.source = source
        self.error = error
    }
}
