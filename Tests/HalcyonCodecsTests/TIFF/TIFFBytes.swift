import FoundationEssentials

/// Files of uncompressed pages, written by hand: header, then for each page its samples and its directory.
struct TIFFBytes {
    struct Entry {
        var tag: Int
        /// 3 for SHORT, 4 for LONG, 7 for UNDEFINED.
        var type: Int
        var values: [Int]
    }

    var isBig = false
    var isLittle = true
    private(set) var bytes: [UInt8] = []
    private var linkPlace = 0

    init(isBig: Bool = false, isLittle: Bool = true) {
        self.isBig = isBig
        self.isLittle = isLittle
        bytes = isLittle ? [0x49, 0x49] : [0x4d, 0x4d]
        append(isBig ? 43 : 42, byteCount: 2)
        if isBig {
            append(8, byteCount: 2)
            append(0, byteCount: 2)
        }
        linkPlace = bytes.count
        append(0, byteCount: offsetSize)
    }

    var data: Data { Data(bytes) }

    private var offsetSize: Int { isBig ? 8 : 4 }

    /// Appends a page with all samples in one strip; `entries` come before those that every page has, and replace them,
    /// or leave them out where they have no values.
    mutating func addPage(width: Int, height: Int, samples: [UInt8], _ entries: [Entry] = [], linksTo link: Int? = nil)
    {
        let strip = place(samples)
        var all = [
            Entry(tag: 256, type: 3, values: [width]), Entry(tag: 257, type: 3, values: [height]),
            Entry(tag: 258, type: 3, values: [8]), Entry(tag: 259, type: 3, values: [1]),
            Entry(tag: 262, type: 3, values: [1]), Entry(tag: 273, type: 4, values: [strip]),
            Entry(tag: 277, type: 3, values: [1]), Entry(tag: 278, type: 3, values: [height]),
            Entry(tag: 279, type: 4, values: [samples.count]),
        ]
        for entry in entries {
            all.removeAll { $0.tag == entry.tag }
            if !entry.values.isEmpty { all.append(entry) }
        }
        addDirectory(all, linksTo: link)
    }

    /// Puts bytes somewhere and returns the place.
    mutating func place(_ block: [UInt8]) -> Int {
        if bytes.count % 2 == 1 { bytes.append(0) }
        defer { bytes += block }
        return bytes.count
    }

    private mutating func addDirectory(_ entries: [Entry], linksTo link: Int?) {
        let sorted = entries.sorted { $0.tag < $1.tag }
        let values = sorted.map { entry -> [UInt8] in
            let size = entry.type == 4 ? 4 : entry.type == 3 ? 2 : 1
            return entry.values.flatMap { number($0, byteCount: size) }
        }
        let places = values.map { $0.count > offsetSize ? place($0) : nil }
        if bytes.count % 2 == 1 { bytes.append(0) }
        replace(linkPlace, with: number(bytes.count, byteCount: offsetSize))
        append(sorted.count, byteCount: isBig ? 8 : 2)
        for (index, entry) in sorted.enumerated() {
            append(entry.tag, byteCount: 2)
            append(entry.type, byteCount: 2)
            append(entry.values.count, byteCount: offsetSize)
            if let place = places[index] {
                append(place, byteCount: offsetSize)
            } else {
                bytes += values[index] + [UInt8](repeating: 0, count: offsetSize - values[index].count)
            }
        }
        linkPlace = bytes.count
        append(link ?? 0, byteCount: offsetSize)
    }

    private mutating func replace(_ place: Int, with block: [UInt8]) {
        bytes.replaceSubrange(place..<place + block.count, with: block)
    }

    private mutating func append(_ value: Int, byteCount: Int) {
        bytes += number(value, byteCount: byteCount)
    }

    func number(_ value: Int, byteCount: Int) -> [UInt8] {
        let little = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return isLittle ? little : little.reversed()
    }
}
