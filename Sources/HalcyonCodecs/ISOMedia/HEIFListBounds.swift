package import HalcyonRaster

/// The bounds of the lists in the boxes of a HEIF file, which hold before any of them is read.
///
/// libavif and libheif search all items for each that a list names, and keep many times the bytes of a list.
package struct HEIFListBounds {
    /// Boxes beside those of lists.
    private static let greatestBoxCount = 1 << 13
    /// Items by the places where one is named and by the properties that there are, for libavif: room for a grid of 64 ×
    /// 64 tiles.
    static let avifSearchCount = SaturatingCount(5 << 24)
    /// The same for libheif, which takes many times longer: room for a grid of 32 × 32 tiles.
    package static let heifSearchCount = SaturatingCount(6 << 20)
    /// Places where an item is named.
    private static let greatestNameCount = 1 << 16
    /// Parts of items; without bytes they cost nothing in the file.
    private static let greatestExtentCount = 1 << 16
    /// Their numbers have 15 bits.
    private static let greatestPropertyCount = 1 << 15
    private static let greatestAssociationCount = 1 << 16
    /// libavif wants them to differ in seven bits.
    private static let greatestAssociationBoxCount = 128
    /// Levels of boxes below the file.
    private static let greatestDepth = 8

    private let reader: ByteReader
    private let greatestSearchCount: SaturatingCount
    private var boxCount = 0
    private var extentCount = 0
    private var propertyCount = 0
    private var associationCount = 0
    private var searchCount: SaturatingCount = 0

    private init(_ reader: ByteReader, _ greatestSearchCount: SaturatingCount) {
        (self.reader, self.greatestSearchCount) = (reader, greatestSearchCount)
    }

    /// Returns whether all lists of a file are within the bounds. Looks no further than up to them.
    ///
    /// - Parameter searchCount: ``avifSearchCount`` or ``heifSearchCount``.
    package static func hold(in reader: ByteReader, searchCount: SaturatingCount) -> Bool {
        var bounds = HEIFListBounds(reader, searchCount)
        return bounds.hold(in: 0..<reader.count, depth: 0)
    }

    /// The boxes whose content is boxes, among which may be one of items.
    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl", "edts"]

    private mutating func hold(in range: Range<Int>, depth: Int) -> Bool {
        for box in reader.boxes(in: range) {
            boxCount += 1
            guard boxCount <= Self.greatestBoxCount else { return false }
            if box.type == "meta" {
                guard box.payload.count < 4 || hold(inItemsOf: box.payload.dropFirst(4)) else { return false }
            } else if depth < Self.greatestDepth, Self.containers.contains(box.type) {
                guard hold(in: box.payload, depth: depth + 1) else { return false }
            }
        }
        return true
    }

    private mutating func hold(inItemsOf meta: Range<Int>) -> Bool {
        var names = Names()
        let earlierPropertyCount = propertyCount
        for box in reader.boxes(in: meta) {
            boxCount += 1
            let fits =
                switch box.type {
                case "iinf": hold(inEntries: box.payload, &names)
                case "iloc": hold(inLocations: box.payload, &names)
                case "iprp": hold(inProperties: box.payload, &names)
                case "iref": hold(inReferences: box.payload, &names)
                default: true
                }
            guard fits, boxCount <= Self.greatestBoxCount, names.count <= Self.greatestNameCount else { return false }
        }
        // libheif copies the list of all properties several times for each item.
        let stepCount = names.count + propertyCount - earlierPropertyCount
        searchCount += SaturatingCount(stepCount) * SaturatingCount(names.items.count)
        return searchCount <= greatestSearchCount
    }

    /// The places where items are named, and the items.
    private struct Names {
        private(set) var count = 0
        private(set) var items: Set<Int> = []

        /// Adds one, and returns whether there may be more.
        mutating func add(_ item: Int) -> Bool {
            count += 1
            items.insert(item)
            return count <= greatestNameCount
        }
    }

    private func hold(inEntries list: Range<Int>, _ names: inout Names) -> Bool {
        guard let version = reader.uint8(at: list.lowerBound) else { return true }
        let start = min(list.lowerBound + (version == 0 ? 6 : 8), list.upperBound)
        for box in reader.boxes(in: start..<list.upperBound) {
            let isWide = reader.uint8(at: box.payload.lowerBound) == 3
            let item =
                isWide
                ? reader.uint32(at: box.payload.lowerBound + 4) : reader.uint16(at: box.payload.lowerBound + 4)
            guard names.add(item ?? 0) else { return false }
        }
        return true
    }

    private mutating func hold(inLocations list: Range<Int>, _ names: inout Names) -> Bool {
        HEIFItemLocations.forEachItem(reader, in: list) { item, extents in
            extentCount += extents.count
            return names.add(item) && extentCount <= Self.greatestExtentCount
        }
    }

    private mutating func hold(inProperties container: Range<Int>, _ names: inout Names) -> Bool {
        var associationBoxCount = 0
        for box in reader.boxes(in: container) {
            boxCount += 1
            switch box.type {
            case "ipco":
                for _ in reader.boxes(in: box.payload) {
                    propertyCount += 1
                    guard propertyCount <= Self.greatestPropertyCount else { return false }
                }
            case "ipma":
                associationBoxCount += 1
                let fits = HEIFItemProperties.forEachEntry(reader, in: box.payload) { entry in
                    associationCount += entry.count
                    return names.add(entry.item) && associationCount <= Self.greatestAssociationCount
                }
                guard fits, associationBoxCount <= Self.greatestAssociationBoxCount else { return false }
            default: break
            }
            guard boxCount <= Self.greatestBoxCount else { return false }
        }
        return true
    }

    private func hold(inReferences list: Range<Int>, _ names: inout Names) -> Bool {
        HEIFItemReferences.forEachList(reader, in: list) { references in
            guard names.add(references.from) else { return false }
            for index in 0..<references.count {
                guard let item = references.item(index, reader) else { break }
                guard names.add(item) else { return false }
            }
            return true
        }
    }
}
