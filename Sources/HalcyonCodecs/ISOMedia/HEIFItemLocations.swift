/// Where the bytes of a HEIF file's items lie (`iloc`, ISO/IEC 14496-12, 8.11.3).
enum HEIFItemLocations {
    /// Bytes that an item may claim beyond the end of the beginning of a file.
    static let greatestMissingByteCount = 1 << 26

    /// Whether all items together claim no more than their file can reasonably have: the libraries copy the bytes of
    /// each, so that many items that share the same bytes would take memory without bound.
    ///
    /// - Parameters:
    ///   - meta: What the `meta` box holds.
    ///   - isBeginning: Whether the end of the file may be missing.
    static func areReasonable(_ reader: ByteReader, meta: Range<Int>, isBeginning: Bool) -> Bool {
        totalByteCount(reader, meta: meta) <= 16 * reader.count + greatestMissingByteCount / (isBeginning ? 1 : 64)
    }

    /// The bytes of all items, those that are shared counted each time. Linear in the bytes of the box.
    static func totalByteCount(_ reader: ByteReader, meta: Range<Int>) -> Int {
        guard meta.count > 4, let box = reader.payload(ofBox: "iloc", in: meta.lowerBound + 4..<meta.upperBound),
            let version = reader.uint8(at: box.lowerBound), let sizes = reader.uint16(at: box.lowerBound + 4),
            let itemCount = version < 2
                ? reader.uint16(at: box.lowerBound + 6) : reader.uint32(at: box.lowerBound + 6)
        else {
            return 0
        }
        let lengthSize = sizes >> 8 & 15
        let placeSize = (sizes >> 12) + (version == 0 ? 0 : sizes & 15)
        // Identifier, construction method, data reference, base offset.
        let headSize = (version < 2 ? 2 : 4) + (version == 0 ? 0 : 2) + 2 + (sizes >> 4 & 15)
        var offset = box.lowerBound + (version < 2 ? 8 : 10)
        var total = 0
        for _ in 0..<itemCount {
            offset += headSize
            guard offset + 2 <= box.upperBound, let extentCount = reader.uint16(at: offset) else {
                return total
            }
            offset += 2
            guard placeSize + lengthSize > 0 else {
                continue
            }
            for _ in 0..<extentCount {
                guard offset + placeSize + lengthSize <= box.upperBound else {
                    return total
                }
                // No file is larger than 2^40 bytes, nor can this sum be.
                total = min(total + length(reader, at: offset + placeSize, byteCount: lengthSize), 1 << 40)
                offset += placeSize + lengthSize
            }
        }
        return total
    }

    private static func length(_ reader: ByteReader, at offset: Int, byteCount: Int) -> Int {
        switch byteCount {
        case 4:
            return reader.uint32(at: offset) ?? 0
        case 8:
            guard let high = reader.uint32(at: offset), let low = reader.uint32(at: offset + 4) else {
                return 0
            }
            return high < 1 << 8 ? high << 32 | low : 1 << 40
        default:
            return 0
        }
    }
}
