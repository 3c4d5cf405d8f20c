internal import FoundationEssentials

/// Walks the chunks of a WebP file's RIFF container (RFC 9649 2.3).
struct WebPChunks {
    struct Chunk {
        /// Four characters.
        var name: String
        /// The payload, as far as it exists.
        var reader: ByteReader
        /// The bytes of the payload as the chunk says.
        var byteCount: Int

        var isCutShort: Bool { reader.count < byteCount }
    }

    private let reader: ByteReader
    private let end: Int
    private var offset: Int
    private var remainingCount: Int
    /// A Boolean value that indicates whether a chunk, or the whole file by its own account, is longer than the bytes.
    private(set) var isCutShort: Bool
    /// A Boolean value that indicates whether the walk ended before the chunks did, as there are too many.
    private(set) var isExhausted = false

    /// The chunks of a file that are walked at most: several times the frames of the longest animation, and the work of
    /// some milliseconds.
    private static let maximumCount = 65_536
    /// The chunks of a frame that are walked at most. An image is the first or the second (RFC 9649 2.7.1.1).
    private static let maximumCountInFrame = 4

    /// - Throws: ``CodecError/truncated(_:)`` without a whole RIFF header, ``CodecError/corrupt(_:reason:)`` where it
    ///   is another one.
    init(_ data: Data) throws(CodecError) {
        reader = ByteReader(data, order: .littleEndian)
        guard let size = reader.uint32(at: 4), reader.count >= 12 else {
            throw .truncated(.webp)
        }
        guard reader.hasText("RIFF", at: 0), reader.hasText("WEBP", at: 8) else {
            throw .corrupt(.webp, reason: "no WebP header")
        }
        // Chunks start at even offsets, but some writers leave the padding of the last one out.
        offset = 12
        remainingCount = Self.maximumCount
        end = min(8 + size, reader.count)
        isCutShort = 8 + size - size % 2 > reader.count
    }

    /// Walks the chunks of a frame.
    init(frame data: Data) {
        reader = ByteReader(data, order: .littleEndian)
        offset = 0
        remainingCount = Self.maximumCountInFrame
        end = reader.count
        isCutShort = false
    }

    /// The next chunk, which may be cut short, or `nil` at the end, or where there were too many before.
    mutating func next() -> Chunk? {
        guard offset < end else {
            return nil
        }
        guard remainingCount > 0 else {
            isExhausted = true
            return nil
        }
        remainingCount -= 1
        guard offset + 8 <= end, let name = reader.bytes(at: offset, count: 4), let size = reader.uint32(at: offset + 4)
        else {
            offset = end
            return nil
        }
        let payloadOffset = offset + 8
        // A chunk may go on where the file by its own account has ended.
        let available = min(size, reader.count - payloadOffset)
        guard let payload = reader.bytes(at: payloadOffset, count: available) else {
            return nil
        }
        if available < size {
            isCutShort = true
        }
        offset = payloadOffset + size + size % 2
        return Chunk(
            name: String(decoding: name, as: UTF8.self),
            reader: ByteReader(payload, order: .littleEndian),
            byteCount: size
        )
    }
}
