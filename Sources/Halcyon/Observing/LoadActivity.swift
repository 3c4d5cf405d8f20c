public import HalcyonCodecs
public import HalcyonHTTP
public import HalcyonRaster

/// A part of a load that has happened. Durations include the time of waiting for a thread.
public enum LoadActivity: Sendable {
    /// The load has begun.
    case began
    /// Memory was looked into. If it has the image, ``ended(_:duration:)`` follows.
    case lookedUpMemory(isFound: Bool)
    /// The disk was looked into. The byte count is that of the entry, 0 if none was found, or none that may be used.
    case lookedUpDisk(StoredContent, isFound: Bool, byteCount: Int, duration: Duration)
    /// Equal work of another load was under way, and is shared.
    case joined(SharedWork)
    /// The image is kept in no cache, because hooks of this type, which the request names, have no
    /// ``DownloadHooks/cacheIdentity``. Told once of each type.
    case hooksWithoutIdentity(String)
    /// The bytes have a format of a product of its own, which nobody registered (``ImageCodecs/register(_:)``). Told once of
    /// each format.
    case unregisteredFormat(ImageFormat)
    /// An image was decoded in the program, although its options ask for a worker, or it is a drawing: none can be started,
    /// for this reason (``DecodeIsolation``). Told once of each format.
    case decodedInProgram(ImageFormat, IsolationError)
    /// A request is about to be sent, or to wait for its turn.
    case transferBegan
    /// A transfer has ended.
    case transferred(TransferReport)
    /// The bytes of a source that is no server were read.
    case read(byteCount: Int, duration: Duration)
    /// An attempt has failed, and the retry strategy has decided on another, which may wait before it begins.
    case retrying(after: ImageError)
    /// A source has failed, and another takes its place.
    case tryingAlternative(Source, after: ImageError)
    /// Bytes were decoded. The format is that of the bytes, `nil` for a result of processors from disk.
    case decoded(ImageFormat?, size: PixelSize, duration: Duration)
    /// A processor has run. The text names its type.
    case processed(String, size: PixelSize, duration: Duration)
    /// Pixels were encoded for ``ImagePipeline/encoded(for:as:isolation:)``.
    case encoded(ImageFormat, byteCount: Int, duration: Duration)
    /// The image was stored in memory.
    case storedInMemory
    /// A store on disk has begun. The entry can be read at once, and is written in the background.
    case storedOnDisk(StoredContent)
    /// The load has ended.
    case ended(Outcome, duration: Duration)

    /// The content of an entry on disk.
    public enum StoredContent: String, Sendable, Hashable {
        /// The result of processors, or an encoded image.
        case result
        /// The bytes of the source.
        case original
    }

    /// The kind of work that loads share.
    public enum SharedWork: String, Sendable, Hashable, CaseIterable {
        /// The whole load of an equal request.
        case image
        /// The encoding of an image.
        case encoding
        /// A run of a processor.
        case processing
        /// The decoding of an original.
        case decoding
        /// The search for an original.
        case original
        /// A transfer.
        case transfer
    }

    /// The end of a load.
    public enum Outcome: Sendable {
        /// The load has succeeded, with an image, or bytes, from there.
        case succeeded(ImageResponse.Source)
        /// The load has failed.
        case failed(ImageError)
        /// The load was cancelled.
        case cancelled
    }
}

/// The end of a transfer.
public struct TransferReport: Sendable {
    /// The status of the response; `nil` if there was none.
    public let status: Int?
    /// The number of bytes of the body, its content coding undone.
    public let byteCount: Int
    /// The time since ``LoadActivity/transferBegan``.
    public let duration: Duration
    /// The times and sizes on the wire; `nil` if the transfer failed.
    public let metrics: TransferMetrics?
    /// The error that the load gets in place of a body; `nil` after a success, and if the transfer was cancelled.
    public let error: ImageError?
    /// A Boolean value that indicates whether the transfer was cancelled, as the last load that waited for it left.
    public let isCancelled: Bool

    /// A Boolean value that indicates whether the server has responded that a stored body is still valid (status 304).
    public var isRevalidation: Bool { status == 304 }

    init(_ result: Result<HTTPResponseBody, any Error>, duration: Duration) {
        self.duration = duration
        switch result {
        case .success(let body):
            status = body.response.status
            byteCount = body.data.count
            metrics = body.metrics
            error = nil
            isCancelled = false
        case .failure(let error):
            let error = error as? ImageError
            status = error.flatMap { if case .status(let status) = $0.reason { status } else { nil } }
            byteCount = 0
            metrics = nil
            self.error = error
            isCancelled = error == nil
        }
    }
}
