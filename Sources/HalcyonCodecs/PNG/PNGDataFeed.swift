internal import FoundationEssentials

/// Finds the compressed data of a PNG's default image in bytes that come piece by piece, from its first IDAT chunk on.
///
/// Checksums of IDAT are passed over: the stream has one of its own, and an image that turns out to be damaged is
/// replaced by what decoding the whole file says.
struct PNGDataFeed {
    private var pieces: [Data] = []
    private var pieceIndex = 0
    private var offset = 0
    /// The bytes of the chunk under way that have not come yet.
    private var remaining = 0
    /// The checksum of the last chunk, and length and type of the next; there is no checksum before the first.
    private var frame: [UInt8] = [0, 0, 0, 0]
    /// What follows the data; `nil` until a chunk of another type has begun.
    private(set) var trailer: PNGTrailer?
    /// A Boolean value that indicates whether a chunk of another type has begun.
    var isAtEnd: Bool { trailer != nil }

    /// Adds bytes.
    mutating func append(_ bytes: Data) {
        guard trailer == nil else {
            trailer?.append(bytes)
            return
        }
        guard !bytes.isEmpty else { return }
        if pieceIndex == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            pieceIndex = 0
        }
        pieces.append(bytes)
    }

    /// The next piece of compressed data, or `nil` where the bytes end.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)``.
    mutating func next() throws(CodecError) -> Data? {
        while !isAtEnd, pieceIndex < pieces.count {
            let piece = pieces[pieceIndex]
            guard offset < piece.count else {
                // Released here, as later pieces may be long.
                pieces[pieceIndex] = Data()
                pieceIndex += 1
                offset = 0
                continue
            }
            let start = piece.startIndex + offset
            guard remaining == 0 else {
                let count = min(remaining, piece.count - offset)
                remaining -= count
                offset += count
                return piece[start..<start + count]
            }
            frame.append(piece[start])
            offset += 1
            if frame.count == 12 { try beginChunk() }
        }
        return nil
    }

    private mutating func beginChunk() throws(CodecError) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
        let (length, type) = (number(frame[4..<8]), PNGChunkType(rawValue: number(frame[8..<12])))
        frame.removeAll(keepingCapacity: true)
        guard type == .imageData else {
            var trailer = PNGTrailer(length: length, type: type)
            trailer.append(pieces[pieceIndex].dropFirst(offset))
            for piece in pieces[(pieceIndex + 1)...] { trailer.append(piece) }
            self.trailer = trailer
            pieces = []
            pieceIndex = 0
            return
        }
        guard length <= Int32.max else {
            throw .corrupt(.png, reason: "a chunk IDAT has a length of \(length)")
        }
        remaining = Int(length)
    }
}
