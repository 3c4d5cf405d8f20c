public import FoundationEssentials
internal import HalcyonSystem

/// A type that supplies the encoded bytes of an image piece by piece.
///
/// Loads report progress as the pieces come, make previews of them if ``ImageOptions/progressive`` asks for it, and end
/// as soon as there are more bytes than ``TransferLimits/bodyBytes`` allows. When a load is cancelled, so is the task
/// that iterates the sequence.
public protocol StreamingImageDataProvider: ImageDataProvider {
    /// The sequence of pieces.
    associatedtype Chunks: AsyncSequence where Chunks.Element == Data

    /// The number of bytes of all pieces together, if it is known. Default: `nil`.
    var expectedByteCount: Int? { get }

    /// Begins to supply the bytes.
    ///
    /// - Throws: Any error, as ``ImageDataProvider/data()`` does; so does the sequence.
    func chunks() async throws -> Chunks
}

extension StreamingImageDataProvider {
    /// Not known.
    public var expectedByteCount: Int? { nil }

    /// Returns all pieces in one.
    public func data() async throws -> Data {
        var bytes = GatheredBytes()
        for try await chunk in try await chunks() {
            chunk.withUnsafeBytes { bytes.append($0) }
        }
        return bytes.data
    }
}

/// A provider whose bytes come from a sequence that a closure returns.
struct ClosureStreamProvider<Chunks: AsyncSequence>: StreamingImageDataProvider where Chunks.Element == Data {
    let cacheKey: String
    let expectedByteCount: Int?
    let start: @Sendable () async throws -> Chunks

    func chunks() async throws -> Chunks { try await start() }
}
