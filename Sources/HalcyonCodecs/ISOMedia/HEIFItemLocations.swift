internal import FoundationEssentials

/// The places of the bytes of a HEIF file's items (`iloc`, ISO/IEC 14496-12, 8.11.3).
package enum HEIFItemLocations {
    /// Bytes that an item may claim beyond the end of the beginning of a file.
    package static let greatestMissingByteCount = 1 << 25

    /// Returns whether items claim no more than their file can reasonably have: each no more than all of it, nor those
    /// together that are joined of several parts, and all a few times that, as some share the same bytes. The libraries
    /// copy the bytes of each.
    ///
    /// - Parameters:
    ///   - meta: What the `meta` box holds.
    ///   - isBeginning: Whether the end of the file may be missing.
    package static func areReasonable(_ reader: ByteReader, meta: Range<Int>, isBeginning: Bool) -> Bool {
        let missing = isBeginning ? greatestMissingByteCount : 1 << 20
        let counts = byteCounts(reader, meta: meta)
        return counts.ofAll <= 16 * reader.count + missing
            && max(counts.greatest, counts.joined) <= reader.count + missing
    }

    /// The bytes of all items, those that are shared counted each time, those of the largest, and those of the items
    /// that have several parts. Linear in the bytes of the box.
    ///
    /// - Parameter counted: The items that count; `nil` for all.
    package static func byteCounts(
        _ reader: ByteReader,
        meta: Range<Int>,
        of counted: Set<Int>? = nil
    ) -> (ofAll: Int, greatest: Int, joined: Int) {
        var (total, joined) = (0, 0)
        var items: [Int: (byteCount: Int, isJoined: Bool)] = [:]
        forEachExtent(reader, meta: meta) { item, extent in
            guard counted?.contains(item) ?? true else {
                return
            }
            // No file is larger than 2^40 bytes, nor can these sums be.
            total = min(total + extent.byteCount, maximum)
            let earlier = items[item]
            if let earlier {
                joined = min(joined + extent.byteCount + (earlier.isJoined ? 0 : earlier.byteCount), maximum)
            }
            items[item] = (min((earlier?.byteCount ?? 0) + extent.byteCount, maximum), earlier != nil)
        }
        return (total, items.values.map(\.byteCount).max() ?? 0, joined)
    }

    /// The bytes of some of the items, as far as they are there. Linear in the bytes of the box, and of those items.
    ///
    /// - Parameter greatestByteCount: Of each item, what lies behind so many bytes is left out.
    static func contents(
        _ reader: ByteReader,
        meta: Range<Int>,
        of items: Set<Int>,
        greatestByteCount: Int = .max
    ) -> [Int: Data] {
        let itemData = meta.count > 4 ? reader.payload(ofBox: "idat", in: meta.lowerBound + 4..<meta.upperBound) : nil
        var contents: [Int: Data] = [:]
        forEachExtent(reader, meta: meta) { item, extent in
            let start = extent.isInItemData ? itemData?.lowerBound : 0
            let room = greatestByteCount - (contents[item]?.count ?? 0)
            guard room > 0, items.contains(item), let start, start + extent.offset < reader.count else {
                return
            }
            let offset = start + extent.offset
            let byteCount = min(extent.byteCount, reader.count - offset, room)
            let bytes = reader.bytes(at: offset, count: byteCount) ?? Data()
            // Most have one extent, which needs no copy.
            if contents[item] == nil {
                contents[item] = bytes
            } else {
                contents[item]?.append(bytes)
            }
        }
        return contents
    }

    /// Returns the place of what the box says of each item behind its number: where its bytes are. Linear in the bytes of
    /// the box.
    static func entries(_ reader: ByteReader, meta: Range<Int>) -> [Int: Range<Int>] {
        guard meta.count > 4, let box = reader.payload(ofBox: "iloc", in: meta.lowerBound + 4..<meta.upperBound) else {
            return [:]
        }
        var entries: [Int: Range<Int>] = [:]
        forEachItem(reader, in: box) { item, extents in
            let end = extents.start + extents.count * extents.byteCount
            if end <= box.upperBound { entries[item] = extents.entry..<end }
            return true
        }
        return entries
    }

    /// Returns the order in which the boxes of the file name its items first: those of their places, their properties and
    /// their types come as the file has them. Linear in the bytes of the boxes.
    static func ranks(_ reader: ByteReader, meta: Range<Int>) -> [Int: Int] {
        var ranks: [Int: Int] = [:]
        var hasProperties = false
        func note(_ item: Int) {
            if ranks[item] == nil { ranks[item] = ranks.count }
        }
        for box in reader.boxes(in: meta.lowerBound + 4..<max(meta.lowerBound + 4, meta.upperBound)) {
            switch box.type {
            case "iloc":
                forEachItem(reader, in: box.payload) { item, _ in
                    note(item)
                    return true
                }
            case "iinf":
                // Its entries are boxes behind their number.
                let start = box.payload.lowerBound + (reader.uint8(at: box.payload.lowerBound) == 0 ? 6 : 8)
                for entry in reader.boxes(in: start..<max(start, box.payload.upperBound)) where entry.type == "infe" {
                    let place = entry.payload.lowerBound
                    let isWide = reader.uint8(at: place) == 3
                    if let item = isWide ? reader.uint32(at: place + 4) : reader.uint16(at: place + 4) { note(item) }
                }
            case "iref":
                HEIFItemReferences.forEachList(reader, in: box.payload) { list in
                    note(list.from)
                    list.items(reader).forEach(note)
                    return true
                }
            case "iprp" where !hasProperties:
                hasProperties = true
                for item in HEIFItemProperties(reader, meta: meta)?.items ?? [] { note(item) }
            default: break
            }
        }
        return ranks
    }

    private struct Extent {
        let offset: Int
        let byteCount: Int
        /// A Boolean value that indicates whether the offset counts from the `idat` box instead of the file.
        let isInItemData: Bool
    }

    private static let maximum = 1 << 40

    private static func forEachExtent(_ reader: ByteReader, meta: Range<Int>, _ body: (Int, Extent) -> Void) {
        guard meta.count > 4, let box = reader.payload(ofBox: "iloc", in: meta.lowerBound + 4..<meta.upperBound) else {
            return
        }
        forEachItem(reader, in: box) { item, extents in
            guard extents.byteCount > 0 else {
                return true
            }
            for index in 0..<extents.count {
                let offset = extents.start + index * extents.byteCount
                guard offset + extents.byteCount <= box.upperBound else {
                    return false
                }
                let place = number(reader, at: offset + extents.indexSize, byteCount: extents.offsetSize)
                let count = number(
                    reader,
                    at: offset + extents.indexSize + extents.offsetSize,
                    byteCount: extents.lengthSize
                )
                body(
                    item,
                    Extent(offset: extents.base + place, byteCount: count, isInItemData: extents.areInItemData)
                )
            }
            return true
        }
    }

    /// The extents of an item as the box has them.
    struct Extents {
        /// The number of them, by the file's account.
        let count: Int
        /// The offset of what the box says of the item behind its number.
        fileprivate let entry: Int
        /// The offset of the first.
        fileprivate let start: Int
        fileprivate let base: Int
        fileprivate let areInItemData: Bool
        fileprivate let indexSize: Int
        fileprivate let offsetSize: Int
        fileprivate let lengthSize: Int

        /// The bytes that the box has for one.
        fileprivate var byteCount: Int { indexSize + offsetSize + lengthSize }
    }

    /// Hands out the items in the content of an `iloc` box, as long as `body` says so. Linear in their number.
    ///
    /// - Returns: Whether `body` said so to the end.
    @discardableResult
    static func forEachItem(_ reader: ByteReader, in box: Range<Int>, _ body: (Int, Extents) -> Bool) -> Bool {
        guard let version = reader.uint8(at: box.lowerBound), let sizes = reader.uint16(at: box.lowerBound + 4),
            let itemCount = version < 2
                ? reader.uint16(at: box.lowerBound + 6) : reader.uint32(at: box.lowerBound + 6)
        else {
            return true
        }
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = version == 0 ? 0 : sizes & 15
        let identifierSize = version < 2 ? 2 : 4
        var offset = box.lowerBound + (version < 2 ? 8 : 10)
        for _ in 0..<itemCount {
            let item = version < 2 ? reader.uint16(at: offset) : reader.uint32(at: offset)
            offset += identifierSize
            let entry = offset
            // Construction method, data reference, base offset.
            let isInItemData = version > 0 && (reader.uint16(at: offset) ?? 0) & 15 == 1
            offset += version == 0 ? 2 : 4
            let base = number(reader, at: offset, byteCount: baseSize)
            offset += baseSize
            guard offset + 2 <= box.upperBound, let item, let extentCount = reader.uint16(at: offset) else {
                return true
            }
            let extents = Extents(
                count: extentCount,
                entry: entry,
                start: offset + 2,
                base: base,
                areInItemData: isInItemData,
                indexSize: indexSize,
                offsetSize: offsetSize,
                lengthSize: lengthSize
            )
            guard body(item, extents) else {
                return false
            }
            offset += 2 + extentCount * extents.byteCount
        }
        return true
    }

    private static func number(_ reader: ByteReader, at offset: Int, byteCount: Int) -> Int {
        switch byteCount {
        case 4:
            return reader.uint32(at: offset) ?? 0
        case 8:
            guard let high = reader.uint32(at: offset), let low = reader.uint32(at: offset + 4) else {
                return 0
            }
            return high < 1 << 8 ? high << 32 | low : maximum
        default:
            return 0
        }
    }
}
