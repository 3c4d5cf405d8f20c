internal import CDeflate
internal import FoundationEssentials

/// The chunks behind the image data of a PNG whose bytes come piece by piece: of these, the orientation counts, which
/// may stand there (PNG, 11.3.4.5).
struct PNGTrailer {
    private enum Part {
        /// Length and type of a chunk, of 8 bytes.
        case head
        /// The payload and the checksum of eXIf, of so many bytes.
        case exif(count: Int)
    }

    private var part = Part.head
    private var gathered = Data()
    private var skipCount = 0
    /// The first EXIF block that is whole and intact.
    private(set) var exif: Data?
    /// A Boolean value that indicates whether what follows makes no difference.
    private(set) var isAtEnd = false

    /// A trailer that begins with a chunk whose length and type have been read.
    init(length: UInt32, type: PNGChunkType) {
        begin(length, type)
    }

    /// Adds the bytes that follow.
    mutating func append(_ bytes: Data) {
        var rest = bytes
        while !isAtEnd, !rest.isEmpty {
            if skipCount > 0 {
                let count = min(skipCount, rest.count)
                rest = rest.dropFirst(count)
                skipCount -= count
                continue
            }
            let wholeCount = if case .exif(let count) = part { count } else { 8 }
            let count = wholeCount - gathered.count
            gathered.append(rest.prefix(count))
            rest = rest.dropFirst(count)
            if gathered.count == wholeCount { take() }
        }
    }

    private mutating func take() {
        let whole = gathered
        gathered = Data()
        guard case .exif = part else {
            return begin(Self.number(whole.prefix(4)), PNGChunkType(rawValue: Self.number(whole.suffix(4))))
        }
        part = .head
        let covered = Data("eXIf".utf8) + whole.dropLast(4)
        let checksum = covered.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        // A damaged one is passed over.
        guard checksum == Self.number(whole.suffix(4)) else { return }
        exif = whole.dropLast(4)
        isAtEnd = true
    }

    private mutating func begin(_ length: UInt32, _ type: PNGChunkType) {
        guard type.isValid, length <= Int32.max, type != .imageEnd else {
            isAtEnd = true
            return
        }
        let count = Int(length) + 4
        if type == .exif { part = .exif(count: count) } else { skipCount = count }
    }

    private static func number(_ bytes: Data) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
