/// The references between the items of a HEIF file (`iref`, ISO/IEC 14496-12, 8.11.12).
struct HEIFItemReferences {
    /// For each item the ones it needs: those it is derived from, in their order and as often as they are named, and
    /// those that are auxiliary to it, such as alpha.
    private var items: [Int: [Int]] = [:]
    private var parts: [Int: [Int]] = [:]
    private var auxiliaries: [Int: [Int]] = [:]
    /// The place of the identifier of each part that another item names more than once, behind its first mention.
    private(set) var repetitions: [Repetition] = []

    struct Repetition {
        let item: Int
        let offset: Int
        let byteCount: Int
    }

    /// Linear in the bytes of the box.
    ///
    /// - Parameter meta: What the `meta` box holds.
    init(_ reader: ByteReader, meta: Range<Int>) {
        guard meta.count > 4, let list = reader.payload(ofBox: "iref", in: meta.lowerBound + 4..<meta.upperBound),
            let version = reader.uint8(at: list.lowerBound), list.count >= 4
        else {
            return
        }
        let size = version == 0 ? 2 : 4
        func identifier(at offset: Int) -> Int? {
            version == 0 ? reader.uint16(at: offset) : reader.uint32(at: offset)
        }
        for box in reader.boxes(in: list.lowerBound + 4..<list.upperBound) {
            guard box.type == "dimg" || box.type == "auxl", let from = identifier(at: box.payload.lowerBound),
                let count = reader.uint16(at: box.payload.lowerBound + size)
            else {
                continue
            }
            let start = box.payload.lowerBound + size + 2
            var seen: Set<Int> = []
            for offset in stride(from: start, to: min(start + count * size, box.payload.upperBound), by: size) {
                guard let to = identifier(at: offset) else {
                    break
                }
                if box.type == "dimg" {
                    items[from, default: []].append(to)
                    parts[from, default: []].append(to)
                    if !seen.insert(to).inserted {
                        repetitions.append(Repetition(item: from, offset: offset, byteCount: size))
                    }
                } else {
                    items[to, default: []].append(from)
                    auxiliaries[to, default: []].append(from)
                }
            }
        }
    }

    /// The items that one is derived from, in their order and as often as they are named.
    func parts(of item: Int) -> [Int] {
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
}
