/// The references between the items of a HEIF file (`iref`, ISO/IEC 14496-12, 8.11.12).
package struct HEIFItemReferences {
    /// For each item the ones it needs: those it is derived from, in their order and as often as they are named, and
    /// those that are auxiliary to it, such as alpha, once each.
    private var items: [Int: [Int]] = [:]
    private var parts: [Int: [Int]] = [:]
    private var auxiliaries: [Int: [Int]] = [:]
    /// The place of the identifier of each part that another item names more than once, behind its first mention.
    package private(set) var repetitions: [Repetition] = []

    package struct Repetition {
        package let item: Int
        package let offset: Int
        package let byteCount: Int
    }

    /// References of one kind from one item to others.
    struct List {
        /// Four characters.
        let type: String
        let from: Int
        /// The number of the others, by the file's account.
        let count: Int
        /// The offset of the identifier of the first.
        let start: Int
        /// The bytes of an identifier: 2 or 4.
        let byteCount: Int
        /// The end of the box.
        fileprivate let end: Int

        /// Returns the place of the identifier of one of the others.
        func offset(_ index: Int) -> Int { start + index * byteCount }

        /// Returns one of the others; `nil` behind the end of the box.
        func item(_ index: Int, _ reader: ByteReader) -> Int? {
            let offset = offset(index)
            guard offset < end else { return nil }
            return byteCount == 2 ? reader.uint16(at: offset) : reader.uint32(at: offset)
        }

        /// Returns the others, as far as the box has them.
        func items(_ reader: ByteReader) -> [Int] {
            var items: [Int] = []
            while items.count < count, let item = item(items.count, reader) { items.append(item) }
            return items
        }
    }

    /// Hands out the references in the content of an `iref` box, as long as `body` says so. Linear in the number of
    /// boxes.
    ///
    /// - Returns: Whether `body` said so to the end.
    @discardableResult
    static func forEachList(_ reader: ByteReader, in list: Range<Int>, _ body: (List) -> Bool) -> Bool {
        guard let version = reader.uint8(at: list.lowerBound), list.count >= 4 else {
            return true
        }
        let byteCount = version == 0 ? 2 : 4
        for box in reader.boxes(in: list.lowerBound + 4..<list.upperBound) {
            let start = box.payload.lowerBound
            guard let from = byteCount == 2 ? reader.uint16(at: start) : reader.uint32(at: start),
                let count = reader.uint16(at: start + byteCount)
            else {
                continue
            }
            let references = List(
                type: box.type,
                from: from,
                count: count,
                start: start + byteCount + 2,
                byteCount: byteCount,
                end: box.payload.upperBound
            )
            guard body(references) else {
                return false
            }
        }
        return true
    }

    /// Linear in the bytes of the box.
    ///
    /// - Parameter meta: What the `meta` box holds.
    package init(_ reader: ByteReader, meta: Range<Int>) {
        guard meta.count > 4, let list = reader.payload(ofBox: "iref", in: meta.lowerBound + 4..<meta.upperBound) else {
            return
        }
        var known: [Int: Set<Int>] = [:]
        Self.forEachList(reader, in: list) { references in
            switch references.type {
            case "dimg": addParts(references, reader)
            case "auxl":
                for index in 0..<references.count {
                    guard let to = references.item(index, reader) else { break }
                    // Named twice, it is still one.
                    guard known[to, default: []].insert(references.from).inserted else { continue }
                    items[to, default: []].append(references.from)
                    auxiliaries[to, default: []].append(references.from)
                }
            default: break
            }
            return true
        }
    }

    private mutating func addParts(_ references: List, _ reader: ByteReader) {
        let from = references.from
        var seen: Set<Int> = []
        for index in 0..<references.count {
            guard let to = references.item(index, reader) else { return }
            items[from, default: []].append(to)
            parts[from, default: []].append(to)
            if !seen.insert(to).inserted {
                repetitions.append(
                    Repetition(item: from, offset: references.offset(index), byteCount: references.byteCount)
                )
            }
        }
    }

    /// The items that one is derived from, in their order and as often as they are named.
    package func parts(of item: Int) -> [Int] {
        parts[item] ?? []
    }

    /// The items that are auxiliary to one.
    func auxiliaries(of item: Int) -> [Int] {
        auxiliaries[item] ?? []
    }

    /// The items that one needs directly.
    func items(neededBy item: Int) -> [Int] {
        items[item] ?? []
    }

    /// Images that are derived from others, which are derived from others: as many as any file has use for.
    static let greatestDepth = 8

    /// A Boolean value that indicates whether images are derived from others over no more than ``greatestDepth``
    /// levels, and none from itself. Linear in the number of references.
    package var haveBoundedDepth: Bool {
        var heights: [Int: Int] = [:]
        return parts.keys.sorted().allSatisfy { height(of: $0, depth: 0, &heights) != nil }
    }

    /// Returns the levels below an item, or `nil` where those of the whole are too many.
    private func height(of item: Int, depth: Int, _ heights: inout [Int: Int]) -> Int? {
        if let height = heights[item] {
            return depth + height < Self.greatestDepth ? height : nil
        }
        guard depth < Self.greatestDepth else {
            return nil
        }
        var height = 0
        for part in parts[item] ?? [] {
            guard let below = self.height(of: part, depth: depth + 1, &heights) else {
                return nil
            }
            height = max(height, below + 1)
        }
        heights[item] = height
        return height
    }
}
