internal import FoundationEssentials
package import HalcyonRaster

/// The properties of a HEIF file's items (ISO/IEC 23008-12), for what the libraries do not give or read.
package struct HEIFItemProperties {
    /// A property and whether a reader must understand it.
    struct Association {
        let box: ISOMediaBox
        let isEssential: Bool
        /// The number of the property, from 1.
        let index: Int
        /// The place of the number, whose highest bit is ``isEssential``.
        let offset: Int
        /// A Boolean value that indicates whether the number has two bytes.
        let isWide: Bool
    }

    private let reader: ByteReader
    /// The payload of the `meta` box behind its version and flags.
    private let meta: Range<Int>
    /// The `ipma` boxes, in their order.
    let associationBoxes: [ISOMediaBox]
    private let properties: [ISOMediaBox]
    /// The entries of each item in the boxes, in their order.
    private let entries: [Int: [Entry]]

    /// - Parameter meta: What the `meta` box holds.
    package init?(_ reader: ByteReader, meta: Range<Int>) {
        guard meta.count >= 4 else {
            return nil
        }
        self.reader = reader
        self.meta = meta.lowerBound + 4..<meta.upperBound
        guard let properties = reader.payload(ofBox: "iprp", in: self.meta) else {
            return nil
        }
        associationBoxes = reader.boxes(in: properties).filter { $0.type == "ipma" }
        self.properties =
            reader.payload(ofBox: "ipco", in: properties).map {
                // Indices have 15 bits.
                Array(reader.boxes(in: $0).prefix(0x7fff))
            } ?? []
        var entries: [Int: [Entry]] = [:]
        for box in associationBoxes {
            Self.forEachEntry(reader, in: box.payload) { entry in
                entries[entry.item, default: []].append(entry)
                return true
            }
        }
        self.entries = entries
    }

    /// The identifier of the primary item (clause 6.4 of 14496-12's `pitm`).
    package var primaryItem: Int? {
        guard let payload = reader.payload(ofBox: "pitm", in: meta), let version = reader.uint8(at: payload.lowerBound)
        else {
            return nil
        }
        return version == 0
            ? reader.uint16(at: payload.lowerBound + 4) : reader.uint32(at: payload.lowerBound + 4)
    }

    /// The coded size of the primary item (`ispe`), before it is turned.
    package var primarySize: PixelSize? {
        guard let item = primaryItem, let box = associations(of: item).first(where: { $0.box.type == "ispe" })?.box,
            let width = reader.uint32(at: box.payload.lowerBound + 4),
            let height = reader.uint32(at: box.payload.lowerBound + 8), box.payload.count >= 12
        else {
            return nil
        }
        return PixelSize(width, height)
    }

    /// The properties of an item in their order: of each `ipma` box, those of the first entry for it.
    func associations(of item: Int) -> [Association] {
        var box: Int?
        return (entries[item] ?? []).flatMap { entry -> [Association] in
            defer { box = entry.box }
            return entry.box == box ? [] : associations(of: entry)
        }
    }

    /// The properties of all entries for an item in their order.
    func allAssociations(of item: Int) -> [Association] {
        (entries[item] ?? []).flatMap(associations)
    }

    /// The items that have properties, in the order of their numbers.
    var items: [Int] { entries.keys.sorted() }

    /// Clause 9.3 of 23008-12: for each item its identifier, a count, and as many indices of properties.
    struct Entry {
        let item: Int
        /// The number of indices, by the file's account.
        let count: Int
        fileprivate let offset: Int
        /// The offset of the content of the box that it is in.
        fileprivate let box: Int
        /// A Boolean value that indicates whether an index has two bytes.
        fileprivate let isWide: Bool
    }

    /// Hands out the entries in the content of an `ipma` box, as long as `body` says so. Linear in their number.
    ///
    /// - Returns: Whether `body` said so to the end.
    @discardableResult
    static func forEachEntry(_ reader: ByteReader, in payload: Range<Int>, _ body: (Entry) -> Bool) -> Bool {
        guard let version = reader.uint8(at: payload.lowerBound), let flags = reader.uint24(at: payload.lowerBound + 1),
            let entryCount = reader.uint32(at: payload.lowerBound + 4)
        else {
            return true
        }
        let isWide = flags & 1 != 0
        var offset = payload.lowerBound + 8
        for _ in 0..<entryCount {
            let identifier = version == 0 ? reader.uint16(at: offset) : reader.uint32(at: offset)
            offset += version == 0 ? 2 : 4
            guard offset < payload.upperBound, let identifier, let count = reader.uint8(at: offset) else {
                return true
            }
            offset += 1
            let entry = Entry(
                item: identifier,
                count: count,
                offset: offset,
                box: payload.lowerBound,
                isWide: isWide
            )
            guard body(entry) else {
                return false
            }
            offset += count * (isWide ? 2 : 1)
        }
        return true
    }

    private func associations(of entry: Entry) -> [Association] {
        (0..<entry.count).compactMap {
            association(at: entry.offset + $0 * (entry.isWide ? 2 : 1), isWide: entry.isWide)
        }
    }

    /// The highest bit says "essential", the others count properties from 1.
    private func association(at offset: Int, isWide: Bool) -> Association? {
        guard let value = isWide ? reader.uint16(at: offset) : reader.uint8(at: offset) else {
            return nil
        }
        let index = value & (isWide ? 0x7fff : 0x7f) - 1
        guard properties.indices.contains(index) else {
            return nil
        }
        return Association(
            box: properties[index],
            isEssential: value & (isWide ? 0x8000 : 0x80) != 0,
            index: index + 1,
            offset: offset,
            isWide: isWide
        )
    }
}
