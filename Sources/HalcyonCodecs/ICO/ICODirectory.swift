internal import FoundationEssentials
internal import HalcyonRaster

/// The images of an icon or mouse pointer (NEWHEADER and RESDIR of Windows): the deepest of each size, the largest size
/// first.
///
/// Files hold images of one size more than once for screens of few colours, which are no longer of use.
struct ICODirectory {
    struct Entry {
        /// As the directory says, where a side of 0 means 256; the image itself may be larger.
        let size: PixelSize
        /// Bits a pixel, or 0 where the bytes do not reach as far as to tell.
        let bitsPerPixel: Int
        /// Bytes as the directory says, which is not always right.
        let byteCount: Int
        let offset: Int
    }

    let entries: [Entry]
    /// A Boolean value that indicates whether the directory has no more entries than were read.
    let isComplete: Bool

    private static let signature = Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) })
    private static let entryByteCount = 16

    /// Reads the directory. Entries beyond the greatest number of frames are left out.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    init(_ data: Data, of format: ImageFormat, limits: DecodeLimits) throws(CodecError) {
        let reader = ByteReader(data, order: .littleEndian)
        guard !data.isEmpty else {
            throw .empty
        }
        guard let reserved = reader.uint16(at: 0), let type = reader.uint16(at: 2), let count = reader.uint16(at: 4)
        else {
            throw .truncated(format)
        }
        guard reserved == 0, type == (format == .cur ? 2 : 1) else {
            throw .corrupt(format, reason: "the signature is missing")
        }
        guard count > 0 else {
            throw .corrupt(format, reason: "there is no image")
        }
        let readCount = min(count, max(1, limits.frameCount))
        isComplete = readCount == count
        var deepest: [PixelSize: Entry] = [:]
        for index in 0..<readCount {
            let entry = try Self.entry(reader, at: 6 + index * Self.entryByteCount, of: format)
            if entry.bitsPerPixel > deepest[entry.size]?.bitsPerPixel ?? -1 {
                deepest[entry.size] = entry
            }
        }
        // Of sizes with the same area the wider first, so that the order does not depend on hashes.
        entries = deepest.values.sorted { ($0.size.area, $0.size.width) > ($1.size.area, $1.size.width) }
    }

    /// The bytes from an entry's first one to the end of the file: sizes in directories are often wrong.
    func bytes(of entry: Entry, in data: Data, _ format: ImageFormat) throws(CodecError) -> Data {
        guard let bytes = ByteReader(data).bytes(at: entry.offset, count: max(0, data.count - entry.offset)),
            !bytes.isEmpty
        else {
            throw .truncated(format)
        }
        return bytes
    }

    static func isPNG(_ bytes: Data) -> Bool {
        bytes.starts(with: signature)
    }

    private static func entry(
        _ reader: ByteReader,
        at start: Int,
        of format: ImageFormat
    ) throws(CodecError) -> Entry {
        guard let width = reader.uint8(at: start), let height = reader.uint8(at: start + 1),
            let bitCount = reader.uint16(at: start + 6), let byteCount = reader.uint32(at: start + 8),
            let offset = reader.uint32(at: start + 12)
        else {
            throw .truncated(format)
        }
        let isPNG = reader.bytes(at: offset, count: 4).map(isPNG) ?? false
        // A mouse pointer has its hot spot where an icon has its depth.
        let stated = format == .ico ? bitCount : 0
        return Entry(
            size: PixelSize(width == 0 ? 256 : width, height == 0 ? 256 : height),
            bitsPerPixel: isPNG ? 32 : reader.uint16(at: offset + 14) ?? stated,
            byteCount: byteCount,
            offset: offset
        )
    }
}
