internal import CDeflate

/// The type of a chunk: four letters.
struct PNGChunkType: Hashable, CustomStringConvertible {
    let rawValue: UInt32

    static let imageHeader = PNGChunkType("IHDR")
    static let palette = PNGChunkType("PLTE")
    static let imageData = PNGChunkType("IDAT")
    static let imageEnd = PNGChunkType("IEND")
    static let transparency = PNGChunkType("tRNS")
    static let standardColor = PNGChunkType("sRGB")
    static let colorProfile = PNGChunkType("iCCP")
    static let codePoints = PNGChunkType("cICP")
    static let gamma = PNGChunkType("gAMA")
    static let chromaticities = PNGChunkType("cHRM")
    static let exif = PNGChunkType("eXIf")
    static let text = PNGChunkType("tEXt")
    static let compressedText = PNGChunkType("zTXt")
    static let internationalText = PNGChunkType("iTXt")
    static let animationControl = PNGChunkType("acTL")
    static let frameControl = PNGChunkType("fcTL")
    static let frameData = PNGChunkType("fdAT")
    /// Apple's mark of a file whose IDAT is a bare deflate stream of premultiplied BGRA.
    static let appleOptimized = PNGChunkType("CgBI")

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ letters: StaticString) {
        rawValue = letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    private var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    }

    /// A decoder must not pass over a chunk it does not know unless bit 5 of the first letter is set (PNG, 5.4).
    var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

    /// A Boolean value that indicates whether no data of the default image may follow the chunk. IDAT chunks must be
    /// consecutive (PNG, 5.6), but browsers pass over ancillary ones between them; those of another frame end them.
    var endsImageData: Bool {
        self != .imageData && (isCritical || self == .frameControl || self == .frameData)
    }

    var isValid: Bool {
        bytes.allSatisfy { (65...90).contains($0) || (97...122).contains($0) }
    }

    var description: String {
        isValid ? String(decoding: bytes, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
    }
}

/// A chunk whose bytes are all there.
struct PNGChunk {
    let type: PNGChunkType
    /// The place of the payload in the file.
    let range: Range<Int>
    let checksum: UInt32
}

/// Walks the chunks of a file without ever reading beyond its bytes.
struct PNGChunkReader {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    enum Step {
        case chunk(PNGChunk)
        /// A chunk that begins but does not end within the bytes, and the place of as much of its payload as is there;
        /// `type` is `nil` where not even that is there.
        case cutShort(type: PNGChunkType?, payload: Range<Int>)
        /// No byte is left.
        case end
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = PNGChunkReader.signature.count

    /// A walk over a file whose signature has been seen.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() throws(CodecError) -> Step {
        let available = bytes.count - offset
        guard available > 0 else {
            return .end
        }
        guard available >= 8 else {
            return .cutShort(type: nil, payload: bytes.count..<bytes.count)
        }
        let length = Int(bytes.bigEndianUInt32(at: offset))
        let type = PNGChunkType(rawValue: bytes.bigEndianUInt32(at: offset + 4))
        guard type.isValid else {
            throw .corrupt(.png, reason: "the chunk type at byte \(offset + 4) is not four letters")
        }
        guard length <= Int(Int32.max) else {
            throw .corrupt(.png, reason: "chunk \(type) at byte \(offset) has a length of \(length)")
        }
        guard available - 12 >= length else {
            return .cutShort(type: type, payload: offset + 8..<min(bytes.count, offset + 8 + length))
        }
        let start = offset + 8
        offset = start + length + 4
        let checksum = bytes.bigEndianUInt32(at: start + length)
        return .chunk(PNGChunk(type: type, range: start..<start + length, checksum: checksum))
    }

    /// Returns whether type and payload of a chunk have the checksum that the file says.
    func isIntact(_ chunk: PNGChunk) -> Bool {
        let covered = UnsafeRawBufferPointer(rebasing: bytes[chunk.range.lowerBound - 4..<chunk.range.upperBound])
        return libdeflate_crc32(0, covered.baseAddress, covered.count) == chunk.checksum
    }
}
