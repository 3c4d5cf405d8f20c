internal import CDeflate
internal import FoundationEssentials
internal import HalcyonSystem

/// Finds the compressed data of a PNG's default image in bytes that come piece by piece, from its first IDAT chunk on.
/// Of the chunks between and behind the data, the orientation counts, which may stand there (PNG, 11.3.4.5).
///
/// Checksums of IDAT are passed over: the stream has one of its own, and an image that turns out to be damaged is
/// replaced by what decoding the whole file says.
struct PNGDataFeed {
    private enum Payload {
        case imageData
        /// It is gathered, since its checksum counts.
        case exif
        case other
    }

    private var pieces: [Data] = []
    private var pieceIndex = 0
    private var offset = 0
    /// The payload of the chunk under way, and its bytes that have not come yet.
    private var payload = Payload.imageData
    private var remaining = 0
    /// The checksum of the last chunk, and length and type of the next; there is no checksum before the first.
    private var frame: [UInt8] = [0, 0, 0, 0]
    private var gathered = GatheredBytes()
    /// The first EXIF block that is whole and intact.
    private(set) var exif: Data?
    /// A Boolean value that indicates whether no data of the image can follow.
    private(set) var hasAllImageData = false
    /// A Boolean value that indicates whether what follows makes no difference.
    private(set) var isAtEnd = false

    /// Adds bytes.
    mutating func append(_ bytes: Data) {
        guard !isAtEnd, !bytes.isEmpty else { return }
        if pieceIndex == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            pieceIndex = 0
        }
        pieces.append(bytes)
    }

    /// The next piece of compressed data, or `nil` where the bytes end. Other chunks are passed over on the way.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory for an EXIF block cannot be allocated.
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
                switch payload {
                case .imageData: return piece[start..<start + count]
                case .exif: try gathered.add(piece[start..<start + count])
                case .other: break
                }
                continue
            }
            frame.append(piece[start])
            offset += 1
            if frame.count == 4 { endChunk() }
            if frame.count == 12 { beginChunk() }
        }
        return nil
    }

    private mutating func beginChunk() {
        let (length, type) = (Self.number(frame[4..<8]), PNGChunkType(rawValue: Self.number(frame[8..<12])))
        frame.removeAll(keepingCapacity: true)
        let isPassedOver = !type.isCritical || type == .palette
        guard type.isValid, length <= Int32.max, isPassedOver || (type == .imageData && !hasAllImageData) else {
            // As of a whole file: what is out of place behind the beginning of the image ends the file.
            hasAllImageData = true
            isAtEnd = true
            pieces = []
            pieceIndex = 0
            return
        }
        hasAllImageData = hasAllImageData || type.endsImageData
        payload = type == .imageData ? .imageData : type == .exif && exif == nil ? .exif : .other
        // The checksum covers the type as well.
        if payload == .exif { gathered = GatheredBytes(Self.exifType) }
        remaining = Int(length)
    }

    /// Takes in an EXIF block whose checksum has come; a damaged one is passed over.
    private mutating func endChunk() {
        guard payload == .exif else { return }
        let checksum = gathered.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        if checksum == Self.number(frame[...]) { exif = gathered.data.dropFirst(Self.exifType.count) }
        gathered = GatheredBytes()
        payload = .other
    }

    private static let exifType = Data("eXIf".utf8)

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
