internal import FoundationEssentials

/// Walks the chunks of a WebP file's RIFF container (RFC 9649 2.3).
struct WebPChunks {
    struct Chunk {
        /// Four characters.
        var name: String
        /// The payload, as far as it exists.
        var reader: ByteReader
        var isCutShort: Bool
    }

    private let reader: ByteReader
    private let end: Int
    private var offset: Int
    /// A Boolean value that indicates whether a chunk, or the whole file by its own account, is longer than the bytes.
    private(set) var isCutShort: Bool

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
        end = min(8 + size, reader.count)
        isCutShort = 8 + size - size % 2 > reader.count
    }

    /// Walks chunks that lie inside another.
    init(chunks data: Data) {
        reader = ByteReader(data, order: .littleEndian)
        offset = 0
        end = reader.count
        isCutShort = false
    }

    /// The next chunk, which may be cut short, or `nil` at the end.
    mutating func next() -> Chunk? {
        guard offset < end else {
            return nil
        }
        guard offset + 8 <= end, let name = reader.bytes(at: offset, count: 4), let size = reader.uint32(at: offset + 4)
        else {
            offset = end
            return nil
        }
        let payloadOffset = offset + 8
        let available = min(size, end - payloadOffset)
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
            isCutShort: available < size
        )
    }
}
