internal import FoundationEssentials
internal import HalcyonCodecs

/// Changes to single bytes of a file of which this library puts images together itself, so that libheif hands out their
/// parts. None moves a box.
struct HEIFAmendments {
    /// The file with all changes; the same bytes where there are none.
    let data: Data
    /// The images that are hidden in the file, and not in the changed one.
    let revealedItems: Set<Int>

    init(_ reader: ByteReader, meta: Range<Int>, items: [HEIFItems.Item]) {
        let references = HEIFItemReferences(reader, meta: meta)
        var composed = Set(items.filter { $0.type == "iovl" }.map(\.identifier))
        let grids = Set(items.filter { $0.type == "grid" }.map(\.identifier))
        composed.formUnion(references.repetitions.map(\.item).filter(grids.contains))
        guard !composed.isEmpty else {
            (data, revealedItems) = (reader.data, [])
            return
        }
        var changes: [(offset: Int, values: [UInt8])] = []
        func set(_ value: Int, at offset: Int, byteCount: Int) {
            changes.append((offset, (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }))
        }
        // libheif 1.15 hands out no image that is hidden.
        var revealedItems: Set<Int> = []
        let parts = Set(composed.flatMap(references.parts))
        for item in items where parts.contains(item.identifier) {
            if let flag = item.hiddenFlag {
                set((reader.uint8(at: flag) ?? 0) & ~1, at: flag, byteCount: 1)
                revealedItems.insert(item.identifier)
            }
        }
        // libheif 1.19 refuses a file in which an item names another twice: numbers of no item take the place of these.
        let known = Set(items.map(\.identifier))
        var free: [Int: Int] = [2: 0xffff, 4: 0xffff_ffff]
        for repetition in references.repetitions where composed.contains(repetition.item) {
            var number = free[repetition.byteCount] ?? 0
            while known.contains(number) { number -= 1 }
            guard number > 0 else {
                break
            }
            set(number, at: repetition.offset, byteCount: repetition.byteCount)
            free[repetition.byteCount] = number - 1
        }
        (data, self.revealedItems) = (reader.data.replacing(changes), revealedItems)
    }
}
